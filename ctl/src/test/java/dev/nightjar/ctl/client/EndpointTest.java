/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.nightjar.ctl.client.Endpoint.Security;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {

    @ParameterizedTest
    @CsvSource({
        "localhost:2379, localhost, 2379, UNSAID, localhost:2379",
        "http://10.0.0.1:1, 10.0.0.1, 1, PLAIN, 10.0.0.1:1",
        "https://a.example:65535, a.example, 65535, TLS, a.example:65535",
        "https://a.example:2379/, a.example, 2379, TLS, a.example:2379",
        "[::1]:2379, ::1, 2379, UNSAID, [::1]:2379",
        "http://[fe80::1%eth0]:2379, fe80::1%eth0, 2379, PLAIN, [fe80::1%eth0]:2379"
    })
    void readsEveryForm(String text, String host, int port, Security security, String authority) {
        Endpoint endpoint = Endpoint.parse(text);

        assertThat(endpoint).isEqualTo(new Endpoint(text, host, port, security));
        assertThat(endpoint.authority()).isEqualTo(authority);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                ":2379",
                "localhost:",
                "localhost:65536",
                "a:b:1",
                "ftp://a:1",
                "a:1/path",
                "::1:2379"
            })
    void refusesEverythingElse(String text) {
        assertThatExceptionOfType(CtlException.class)
                .isThrownBy(() -> Endpoint.parse(text))
                .withMessageContaining(text)
                .matches(e -> e.exitCode() == ExitCode.BAD_ARGUMENTS);
    }

    @Test
    void targetsNameEveryEndpoint() {
        List<Endpoint> endpoints = Endpoint.parseAll(List.of("a:1", "", "[::1]:2"));

        assertThat(EndpointResolverProvider.target(endpoints)).isEqualTo("nightjar-endpoints:///a:1,%5B::1%5D:2");
    }
}
