/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.api.etcdserverpb.Member;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerFrontendTest {
    private final PeerFrontend frontend = new PeerFrontend(
            () -> List.of(
                    Member.newBuilder()
                            .setID(-1)
                            .setName("b \"2\"")
                            .addPeerURLs("http://b:1")
                            .addPeerURLs("http://b:2")
                            .addClientURLs("http://b:3")
                            .build(),
                    Member.newBuilder()
                            .setID(1)
                            .setIsLearner(true)
                            .addPeerURLs("http://a:1")
                            .build()),
            "cdf818194e3a8c32",
            () -> "3.7.0");

    private Answer call(String method, String target) {
        Answer answer = new Answer(method, target);
        frontend.handle(answer);
        return answer;
    }

    @Test
    void members_are_listed_by_id_without_what_is_empty() {
        Answer answer = call("GET", "/members");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.contentType()).isEqualTo("application/json");
        assertThat(answer.headers()).containsExactly(java.util.Map.entry("X-Etcd-Cluster-ID", "cdf818194e3a8c32"));
        assertThat(answer.text())
                .isEqualTo("[{\"id\":1,\"peerURLs\":[\"http://a:1\"],\"isLearner\":true},"
                        + "{\"id\":18446744073709551615,\"peerURLs\":[\"http://b:1\",\"http://b:2\"],"
                        + "\"name\":\"b \\\"2\\\"\",\"clientURLs\":[\"http://b:3\"]}]\n");
    }

    @Test
    void the_version_is_that_of_the_client_port() {
        assertThat(call("GET", "/version").text())
                .isEqualTo("{\"etcdserver\":\"3.7.3\",\"etcdcluster\":\"3.7.0\",\"storage\":\"3.7.0\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/version", "/members"})
    void other_methods_than_get_are_refused(String path) {
        for (String method : List.of("POST", "OPTIONS", "HEAD")) {
            Answer answer = call(method, path);
            assertThat(answer.status()).isEqualTo(405);
            assertThat(answer.headers()).containsEntry("Allow", "GET");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/health", "/metrics", "/livez", "/members/"})
    void everything_else_is_not_found(String path) {
        Answer answer = call("GET", path);
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.text()).isEqualTo("404 page not found\n");
    }
}
