/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EnvironmentTest {

    @Test
    void a_variable_stands_in_for_a_flag() {
        StartRequest.Serve request = serve(
                List.of("--data-dir=d"), Map.of("ETCD_NAME", "a", "NIGHTJAR_SNAPSHOT_COUNT", "5", "PATH", "/bin"));

        assertThat(request.config().member().name()).isEqualTo("a");
        assertThat(request.config().raft().snapshotCount()).isEqualTo(5);
        assertThat(request.notices()).containsExactly(used("ETCD_NAME", "a"), used("NIGHTJAR_SNAPSHOT_COUNT", "5"));
    }

    @Test
    void our_own_prefix_goes_before_etcds() {
        assertThat(serve(List.of("--data-dir=d"), Map.of("ETCD_NAME", "a", "NIGHTJAR_NAME", "b"))
                        .config()
                        .member()
                        .name())
                .isEqualTo("b");
    }

    @Test
    void a_flag_and_its_variable_both_are_fatal() {
        assertThat(CommandLine.read(List.of("--name=a"), Map.of("ETCD_NAME", "a")))
                .isEqualTo(new StartRequest.Unusable(List.of(new StartRequest.Notice(
                        LogLevel.FATAL,
                        "conflicting environment variable is shadowed by corresponding command-line flag (either unset"
                                + " environment variable or disable flag))",
                        Map.of("environment-variable", "ETCD_NAME=a")))));
    }

    @Test
    void a_variable_without_flag_is_told_but_harmless() {
        assertThat(serve(
                                List.of("--data-dir=d"),
                                Map.of("ETCD_VERIFY", "all", "ETCD_UNSUPPORTED_ARCH", "amd64", "ETCD_NAME", ""))
                        .notices())
                .containsExactly(
                        unrecognized("ETCD_NAME="),
                        unrecognized("ETCD_UNSUPPORTED_ARCH=amd64"),
                        unrecognized("ETCD_VERIFY=all"));
    }

    @Test
    void version_cannot_be_asked_for_by_variable() {
        assertThat(serve(List.of("--data-dir=d"), Map.of("ETCD_VERSION", "true"))
                        .notices())
                .containsExactly(new StartRequest.Notice(
                        LogLevel.WARN,
                        "cannot set special environment variable",
                        Map.of("variable-name", "ETCD_VERSION", "variable-value", "true")));
    }

    @Test
    void variables_of_the_start_script_are_not_told() {
        assertThat(serve(List.of("--data-dir=d"), Map.of("NIGHTJAR_JAVA_OPTS", "-Xmx1g"))
                        .notices())
                .isEmpty();
    }

    @Test
    void a_bad_value_is_a_setting_that_cannot_be_used() {
        assertThat(CommandLine.read(List.of("--data-dir=d"), Map.of("ETCD_LISTEN_CLIENT_URLS", "foo")))
                .isEqualTo(new StartRequest.Unusable(List.of(new StartRequest.Notice(
                        LogLevel.WARN,
                        "failed to verify flags",
                        Map.of(
                                "error",
                                "invalid value \"foo\" for ETCD_LISTEN_CLIENT_URLS: URL scheme must be http, https,"
                                        + " unix, or unixs: foo")))));
    }

    private static StartRequest.Notice used(String variable, String value) {
        return new StartRequest.Notice(
                LogLevel.INFO,
                "recognized and used environment variable",
                Map.of("variable-name", variable, "variable-value", value));
    }

    private static StartRequest.Notice unrecognized(String assignment) {
        return new StartRequest.Notice(
                LogLevel.WARN, "unrecognized environment variable", Map.of("environment-variable", assignment));
    }

    private static StartRequest.Serve serve(List<String> arguments, Map<String, String> environment) {
        StartRequest request = CommandLine.read(arguments, environment);
        assertThat(request).isInstanceOf(StartRequest.Serve.class);
        return (StartRequest.Serve) request;
    }
}
