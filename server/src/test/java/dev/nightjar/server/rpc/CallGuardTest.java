/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.apply.ApiError;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CallGuardTest {
    private boolean leaderKnown;
    private final List<String> counted = new ArrayList<>();
    private final CallGuard guard =
            new CallGuard(() -> leaderKnown, (stream, version) -> counted.add(stream + " " + version));

    private static Http2Headers headers(String... pairs) {
        Http2Headers headers = new DefaultHttp2Headers(false);
        for (int i = 0; i < pairs.length; i += 2) {
            headers.add(pairs[i], pairs[i + 1]);
        }
        return headers;
    }

    @Test
    void a_call_that_asks_for_nothing_may_begin_without_a_leader() {
        assertThat(guard.check(headers(), false)).isNull();
        assertThat(counted).containsExactly("false unknown");
    }

    @Test
    void a_call_that_wants_a_leader_needs_one() {
        Http2Headers wanting = headers("hasleader", "true", "client-api-version", "3.6.1");
        assertThat(guard.check(wanting, true)).isEqualTo(ApiError.NO_LEADER);
        leaderKnown = true;
        assertThat(guard.check(wanting, true)).isNull();
        assertThat(counted).containsExactly("true 3.6.1", "true 3.6.1");
    }

    @Test
    void only_the_word_true_wants_a_leader() {
        assertThat(guard.check(headers("hasleader", "false"), true)).isNull();
        assertThat(guard.check(headers("hasleader", ""), true)).isNull();
    }

    @Test
    void a_version_must_be_utf8() {
        assertThat(guard.check(headers("client-api-version", "\u00c3\u00a9"), false))
                .isNull();
        assertThat(guard.check(headers("client-api-version", "\u00c3("), false))
                .isEqualTo(ApiError.INVALID_CLIENT_VERSION);
        assertThat(counted).hasSize(1);
    }
}
