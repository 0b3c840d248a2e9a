/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Responses that are too large for one message. */
@OnEveryServer
class WatchFragmentTest {
    /** The largest request by default (1.5 MiB) and half a mebibyte. */
    private static final int PART_LIMIT = 2 << 20;

    private static final int VALUE = 1 << 20;

    @RegisterExtension
    final FreshServer fresh;

    WatchFragmentTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void a_long_history_of_large_values_comes_in_parts_that_can_be_received() {
        putLarge(10);
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("big").setStartRevision(1).setFragment(true));
            List<WatchResponse> parts = call.events(10);
            assertThat(parts).hasSizeGreaterThan(1).allSatisfy(WatchFragmentTest::assertFits);
            assertThat(parts.getLast().getFragment()).isFalse();
            assertThat(revisions(parts)).containsExactly(2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L);
        }
    }

    /** With previous values one revision is larger than any part may be, so it has to be split. */
    @Test
    void a_large_revision_is_split_for_those_who_can_join_it() {
        putTogether(12, 100 << 10);
        putTogether(12, 100 << 10);
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var watch = WatchCall.prefix("big").setPrevKv(true).setFragment(true);
            var _ = call.created(watch.setStartRevision(3));
            List<WatchResponse> parts = call.events(12);
            assertThat(parts).hasSizeGreaterThan(1).allSatisfy(WatchFragmentTest::assertFits);
            assertThat(parts.stream().map(WatchResponse::getFragment).toList().reversed())
                    .as("all parts but the last are marked")
                    .startsWith(false)
                    .containsOnlyOnce(false);
            assertThat(parts.stream()
                            .map(part -> part.getHeader().getRevision())
                            .distinct())
                    .hasSize(1);
            assertThat(revisions(parts)).hasSize(12).containsOnly(3L);
        }
    }

    private static void assertFits(WatchResponse part) {
        assertThat(part.getWatchId()).isZero();
        assertThat(part.getEventsCount() == 1 || part.getSerializedSize() < PART_LIMIT)
                .isTrue();
    }

    private static List<Long> revisions(List<WatchResponse> parts) {
        return parts.stream()
                .flatMap(part -> part.getEventsList().stream())
                .map(event -> event.getKv().getModRevision())
                .toList();
    }

    @Test
    void one_revision_is_never_split_for_those_who_cannot_join_it() {
        putTogether(12, 100 << 10);
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.prefix("big").setStartRevision(1));
            WatchResponse whole = call.next();
            assertThat(whole.getEventsCount()).isEqualTo(12);
            assertThat(whole.getFragment()).isFalse();
        }
    }

    @Test
    void the_parts_of_a_response_follow_one_another() {
        putLarge(6);
        try (WatchCall call = WatchCall.open(fresh.api())) {
            for (int i = 0; i < 4; i++) {
                call.create(WatchCall.key("big").setStartRevision(1).setFragment(true));
            }
            call.create(WatchCall.key("small"));
            long open = -1;
            int events = 0;
            while (events < 24) {
                WatchResponse response = call.next();
                if (open >= 0) {
                    assertThat(response.getWatchId())
                            .as("the next part belongs to the same watch")
                            .isEqualTo(open);
                    assertThat(response.getEventsCount()).isPositive();
                }
                open = response.getFragment() ? response.getWatchId() : -1;
                events += response.getEventsCount();
                fresh.api().put("small", "");
                call.requestProgress();
                events -= (int) response.getEventsList().stream()
                        .filter(event -> event.getKv().getKey().equals(ByteString.copyFromUtf8("small")))
                        .count();
            }
        }
    }

    private void putLarge(int count) {
        for (int i = 0; i < count; i++) {
            fresh.api().put(ByteString.copyFromUtf8("big"), ByteString.copyFrom(new byte[VALUE]));
        }
    }

    private void putTogether(int keys, int size) {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        for (int i = 0; i < keys; i++) {
            txn.addSuccess(RequestOp.newBuilder()
                    .setRequestPut(PutRequest.newBuilder()
                            .setKey(ByteString.copyFromUtf8("big" + i))
                            .setValue(ByteString.copyFrom(new byte[size]))));
        }
        var _ = fresh.api().kv().txn(txn.build());
    }
}
