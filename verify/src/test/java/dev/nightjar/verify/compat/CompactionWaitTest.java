/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.CompactionResponse;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.ServerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients that wait for a compaction that takes long: it drops few records at a time and pauses in between. */
class CompactionWaitTest {
    /** Keys of which a compaction takes a few pauses, and some for which it takes longer than a server takes to stop. */
    private static final int FEW_KEYS = 200;

    private static final int MANY_KEYS = 2000;
    private static final int CLIENTS = 40;
    private static final long PAUSE_MILLIS = 3000;

    @RegisterExtension
    final FreshServer fresh = new FreshServer(
            ServerKind.NIGHTJAR, "--compaction-batch-limit=1", "--compaction-sleep-interval=" + PAUSE_MILLIS + "ms");

    private long overwrite(int keys) {
        return fresh.api().fill(2 * keys, i -> ApiClient.putRequest("k" + i % keys, ByteString.copyFromUtf8("v" + i)));
    }

    private ListenableFuture<CompactionResponse> compact(long revision) {
        return fresh.api()
                .asyncKv()
                .compact(CompactionRequest.newBuilder()
                        .setRevision(revision)
                        .setPhysical(true)
                        .build());
    }

    private static String outcome(ListenableFuture<CompactionResponse> answer) throws Exception {
        try {
            return "@" + answer.get(60, TimeUnit.SECONDS).getHeader().getRevision();
        } catch (ExecutionException e) {
            return String.valueOf(Objects.requireNonNull(e.getCause()).getMessage());
        }
    }

    private static boolean isAnswered(ListenableFuture<CompactionResponse> answer, long millis) throws Exception {
        try {
            var _ = answer.get(millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    @Test
    void all_that_wait_are_answered_when_history_is_gone_and_those_that_left_hold_nobody_up() throws Exception {
        long revision = overwrite(FEW_KEYS);
        List<ListenableFuture<CompactionResponse>> answers = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            answers.add(compact(revision));
        }
        assertThat(isAnswered(answers.getFirst(), PAUSE_MILLIS / 2)).isFalse();
        for (int i = 1; i < CLIENTS; i += 2) {
            assertThat(answers.get(i).cancel(true)).isTrue();
        }
        // Everything else goes on meanwhile.
        assertThat(fresh.api().put("other", "v")).isEqualTo(revision + 1);
        assertThat(outcome(answers.getFirst())).isEqualTo("@" + (revision + 1));
        for (int i = 2; i < CLIENTS; i += 2) {
            assertThat(outcome(answers.get(i)))
                    .isEqualTo("OUT_OF_RANGE: etcdserver: mvcc: required revision has been compacted");
        }
    }

    @Test
    void a_server_that_stops_while_they_wait_ends_in_time_and_says_so() throws Exception {
        long revision = overwrite(MANY_KEYS);
        List<ListenableFuture<CompactionResponse>> answers = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            answers.add(compact(revision));
        }
        assertThat(isAnswered(answers.getFirst(), 100)).isFalse();
        var _ = fresh.server().terminate();
        for (ListenableFuture<CompactionResponse> answer : answers) {
            assertThat(outcome(answer)).startsWith("UNAVAILABLE");
        }
        fresh.server().start();
        try (ApiClient again = new ApiClient(fresh.server().endpoint())) {
            assertThat(again.revision()).isEqualTo(revision);
        }
    }
}
