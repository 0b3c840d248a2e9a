/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandLineTest {

    @Test
    void one_dash_or_two_and_equals_or_blank_are_the_same() {
        assertThat(serve("-name=a", "--data-dir", "d", "-snapshot-count", "7", "--unsafe-no-fsync"))
                .satisfies(config -> {
                    assertThat(config.member().name()).isEqualTo("a");
                    assertThat(config.member().dataDir()).hasToString("d");
                    assertThat(config.raft().snapshotCount()).isEqualTo(7);
                    assertThat(config.storage().fsync()).isFalse();
                });
    }

    @Test
    void the_last_of_several_wins() {
        assertThat(serve("--name=a", "--name=b", "--name", "c").member().name()).isEqualTo("c");
    }

    @Test
    void an_empty_value_is_a_value() {
        assertThat(serve("--name=").member().name()).isEmpty();
    }

    @Test
    void a_boolean_does_not_take_the_next_word() {
        assertThat(CommandLine.read(List.of("--unsafe-no-fsync", "false"), Map.of()))
                .isEqualTo(failure("\"false\" is not a valid flag"));
        assertThat(serve("--unsafe-no-fsync=f").storage().fsync()).isTrue();
    }

    @Test
    void a_value_may_look_like_a_flag() {
        assertThat(serve("--name", "--name").member().name()).isEqualTo("--name");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--nope; flag provided but not defined: -nope",
                "-nope=1; flag provided but not defined: -nope",
                "--experimental-peer-skip-client-san-verification;"
                        + "flag provided but not defined: -experimental-peer-skip-client-san-verification",
                "---name; bad flag syntax: ---name",
                "-=x; bad flag syntax: -=x",
                "--name; flag needs an argument: -name",
                "--unsafe-no-fsync=yes; invalid boolean value \"yes\" for -unsafe-no-fsync: parse error",
                "--snapshot-count=-1; invalid value \"-1\" for flag -snapshot-count: parse error",
                "--snapshot-count=; invalid value \"\" for flag -snapshot-count: parse error",
                "--snapshot-count=99999999999999999999;"
                        + "invalid value \"99999999999999999999\" for flag -snapshot-count: value out of range",
                "--max-concurrent-streams=4294967296;"
                        + "invalid value \"4294967296\" for flag -max-concurrent-streams: value out of range",
                "--grpc-keepalive-timeout=5; invalid value \"5\" for flag -grpc-keepalive-timeout: parse error",
                "--initial-cluster-state=old; invalid value \"old\" for flag -initial-cluster-state:"
                        + " invalid value",
                "--listen-client-urls=foo; invalid value \"foo\" for flag -listen-client-urls:"
                        + " URL scheme must be http, https, unix, or unixs: foo",
            })
    void what_cannot_be_read_is_malformed(String argument, String message) {
        assertThat(CommandLine.read(List.of(argument), Map.of())).isEqualTo(new StartRequest.Malformed(message));
    }

    @ParameterizedTest
    @CsvSource({"0x10, 16", "0b11, 3", "0o17, 15", "017, 15", "1_000, 1000", "0, 0"})
    void numbers_are_gos_literals(String text, long value) {
        assertThat(serve("--snapshot-count=" + text).raft().snapshotCount()).isEqualTo(value);
    }

    @Test
    void an_unknown_log_level_is_a_panic_after_what_the_environment_has_to_say() {
        assertThat(CommandLine.read(List.of("--log-level=silly"), Map.of()))
                .isEqualTo(new StartRequest.Panic(List.of(), "unrecognized level: \"silly\""));
        assertThat(CommandLine.read(List.of(), Map.of("ETCD_LOG_LEVEL", "silly")))
                .isEqualTo(new StartRequest.Panic(
                        List.of(new StartRequest.Notice(
                                LogLevel.INFO,
                                "recognized and used environment variable",
                                Map.of("variable-name", "ETCD_LOG_LEVEL", "variable-value", "silly"))),
                        "unrecognized level: \"silly\""));
    }

    @ParameterizedTest
    @CsvSource({"'', INFO", "INFO, INFO", "warning, WARN", "dpanic, PANIC"})
    void log_levels_have_zaps_names(String text, LogLevel level) {
        assertThat(serve("--log-level=" + text).log().level()).isEqualTo(level);
    }

    @Test
    void a_word_that_is_no_flag_ends_the_reading() {
        assertThat(CommandLine.read(List.of("--name=a", "word", "--nope"), Map.of()))
                .isEqualTo(failure("\"word\" is not a valid flag"));
        assertThat(CommandLine.read(List.of("--", "--nope"), Map.of()))
                .isEqualTo(failure("\"--nope\" is not a valid flag"));
        assertThat(CommandLine.read(List.of("-"), Map.of())).isEqualTo(failure("\"-\" is not a valid flag"));
        assertThat(CommandLine.read(List.of("--name=a", "--"), Map.of())).isInstanceOf(StartRequest.Serve.class);
    }

    @Test
    void help_and_version_come_before_settings_that_cannot_be_used() {
        assertThat(CommandLine.read(List.of("--name=a", "-h", "--nope"), Map.of()))
                .isEqualTo(new StartRequest.Help());
        assertThat(CommandLine.read(List.of("--help"), Map.of())).isEqualTo(new StartRequest.Help());
        assertThat(CommandLine.read(List.of("--version", "--heartbeat-interval=0"), Map.of()))
                .isEqualTo(new StartRequest.Version());
    }

    @Test
    void what_is_allowed_but_perhaps_not_meant_is_remarked() {
        assertThat(notices("--name=a")).containsExactly("'data-dir' was empty; using default {data-dir=a.etcd}");
        assertThat(notices("--data-dir=d", "--max-request-bytes=10485760")).isEmpty();
        assertThat(notices("--data-dir=d", "--max-request-bytes=10485761"))
                .containsExactly("exceeded recommended request limit {max-request-bytes=10485761}");
    }

    private static List<String> notices(String... arguments) {
        return ((StartRequest.Serve) CommandLine.read(List.of(arguments), Map.of()))
                .notices().stream()
                        .map(notice -> notice.message() + " " + notice.fields())
                        .toList();
    }

    private static StartRequest failure(String error) {
        return new StartRequest.Unusable(
                List.of(new StartRequest.Notice(LogLevel.WARN, "failed to verify flags", Map.of("error", error))));
    }

    private static ServerConfig serve(String... arguments) {
        StartRequest request = CommandLine.read(List.of(arguments), Map.of());
        assertThat(request).isInstanceOf(StartRequest.Serve.class);
        return ((StartRequest.Serve) request).config();
    }
}
