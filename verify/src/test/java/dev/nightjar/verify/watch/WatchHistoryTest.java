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
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
import dev.nightjar.verify.driver.WireText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Watches that begin in the past or in the future: no gap, no repeat, whole revisions. */
@OnEveryServer
class WatchHistoryTest {
    @RegisterExtension
    final FreshServer fresh;

    WatchHistoryTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void a_future_start_waits_for_its_revision() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            assertThat(WireText.of(call.created(WatchCall.key("foo").setStartRevision(10))))
                    .isEqualTo("#0 @1 created");
            puts("foo", 9);
            assertThat(WireText.of(call.next())).isEqualTo("#0 @10 PUT foo=9 c2 m10 v9");
        }
    }

    @Test
    void the_largest_start_is_accepted_and_never_reached() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("foo").setStartRevision(Long.MAX_VALUE));
            var _ = call.created(WatchCall.key("foo"));
            fresh.api().put("foo", "1");
            assertThat(WireText.of(call.next())).isEqualTo("#1 @2 PUT foo=1 c2 m2 v1");
        }
    }

    @Test
    void the_whole_history_of_a_prefix_is_replayed_in_order() {
        fresh.api().put("foo1", "a");
        fresh.api().put("foo2", "b");
        fresh.api().put("foo1", "c");
        fresh.api().put("foo2", "d");
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.prefix("foo").setStartRevision(1));
            assertThat(WireText.events(call.events(4)))
                    .containsExactly(
                            "PUT foo1=a c2 m2 v1", "PUT foo2=b c3 m3 v1", "PUT foo1=c c2 m4 v2", "PUT foo2=d c3 m5 v2");
        }
    }

    @Test
    void a_start_at_the_current_revision_replays_it() {
        fresh.api().put("foo", "a");
        fresh.api().put("foo", "b");
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("foo").setStartRevision(3));
            assertThat(WireText.of(call.next())).isEqualTo("#0 @3 PUT foo=b c2 m3 v2");
            fresh.api().put("foo", "c");
            assertThat(WireText.of(call.next())).isEqualTo("#0 @4 PUT foo=c c2 m4 v3");
        }
    }

    @Test
    void a_thousand_revisions_come_before_any_progress() {
        hurry("foo", 1001);
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("foo").setStartRevision(1).setProgressNotify(true));
            List<WatchResponse> responses = call.events(1001);
            assertThat(responses)
                    .allSatisfy(
                            response -> assertThat(response.getEventsCount()).isPositive())
                    .allSatisfy(response ->
                            assertThat(response.getHeader().getRevision()).isEqualTo(1002));
            assertThat(revisions(responses))
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(2, 1002).boxed().toList());
            awaitProgress(call, "#-1 @1002 progress");
        }
    }

    /** A request is forgotten while a watch is being caught up, so it is repeated until it is answered. */
    private static void awaitProgress(WatchCall call, String expected) {
        for (int i = 0; i < 600; i++) {
            call.requestProgress();
            var answer = call.nextWithin(java.time.Duration.ofMillis(100));
            if (answer.isPresent()) {
                assertThat(WireText.of(answer.get())).isEqualTo(expected);
                return;
            }
        }
        throw new AssertionError("no progress response");
    }

    @Test
    void the_events_of_a_transaction_arrive_together_live_and_replayed() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.prefix("k"));
            putTogether(0);
            String expected = "#%d @2 PUT k0=0 c2 m2 v1; PUT k1=0 c2 m2 v1; PUT k2=0 c2 m2 v1";
            assertThat(WireText.of(call.next())).isEqualTo(expected.formatted(0));
            var _ = call.created(WatchCall.prefix("k").setStartRevision(1));
            assertThat(WireText.of(call.next())).isEqualTo(expected.formatted(1));
        }
    }

    @Test
    void a_long_history_is_cut_between_revisions_only() {
        int transactions = 1500;
        for (int i = 0; i < transactions; i++) {
            putTogether(i);
        }
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.prefix("k").setStartRevision(1));
            List<WatchResponse> responses = call.events(3 * transactions);
            assertThat(revisions(responses))
                    .containsExactlyElementsOf(LongStream.range(2, 2 + transactions)
                            .boxed()
                            .flatMap(revision ->
                                    LongStream.of(revision, revision, revision).boxed())
                            .toList());
            assertThat(responses)
                    .allSatisfy(response ->
                            assertThat(response.getEventsCount() % 3).isZero());
        }
    }

    @Test
    void many_watches_replay_beside_refused_ones() {
        hurry("x", 1000);
        try (WatchCall call = WatchCall.open(fresh.api())) {
            for (int i = 0; i < 50; i++) {
                call.create(WatchCall.key("x").setStartRevision(2));
                call.create(WatchCall.key("x").setStartRevision(-1));
            }
            Map<Long, List<Long>> byWatch = new HashMap<>();
            int refused = 0;
            for (WatchResponse response : call.events(50 * 1000)) {
                refused += response.getCanceled() && response.getWatchId() == -1 ? 1 : 0;
                response.getEventsList()
                        .forEach(event -> byWatch.computeIfAbsent(response.getWatchId(), _ -> new ArrayList<>())
                                .add(event.getKv().getModRevision()));
            }
            assertThat(refused).isEqualTo(50);
            assertThat(byWatch).hasSize(50);
            List<Long> all = LongStream.rangeClosed(2, 1001).boxed().toList();
            assertThat(byWatch.values())
                    .allSatisfy(revisions -> assertThat(revisions).isEqualTo(all));
        }
    }

    /**
     * The header of a created response says which revision the watch has skipped up to, and clients resume from it. etcd
     * reads the number just after registering, so its header may already count writes whose events follow.
     */
    @Test
    void under_writes_the_first_event_comes_right_after_the_created_revision() throws InterruptedException {
        try (BusyWriter writer = new BusyWriter(fresh.api(), "k")) {
            for (int i = 0; i < 300; i++) {
                try (WatchCall call = WatchCall.open(fresh.api())) {
                    long skipped = call.created(WatchCall.key("k")).getHeader().getRevision();
                    long first = call.next().getEvents(0).getKv().getModRevision();
                    switch (fresh.kind()) {
                        case NIGHTJAR -> assertThat(first).isEqualTo(skipped + 1);
                        case ETCD -> assertThat(first).isBetween(skipped - 10, skipped + 1);
                    }
                }
            }
            assertThat(writer.stop()).as("puts").isGreaterThan(100);
        }
    }

    private void puts(String key, int count) {
        for (int i = 1; i <= count; i++) {
            fresh.api().put(key, Integer.toString(i));
        }
    }

    private void hurry(String key, int count) {
        var _ = fresh.api().hurry(count, i -> ApiClient.putRequest(key, ByteString.copyFromUtf8("v" + i)));
    }

    private void putTogether(int value) {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        for (int key = 0; key < 3; key++) {
            txn.addSuccess(RequestOp.newBuilder()
                    .setRequestPut(PutRequest.newBuilder()
                            .setKey(ByteString.copyFromUtf8("k" + key))
                            .setValue(ByteString.copyFromUtf8(Integer.toString(value)))));
        }
        var _ = fresh.api().kv().txn(txn.build());
    }

    private static List<Long> revisions(List<WatchResponse> responses) {
        return responses.stream()
                .flatMap(response -> response.getEventsList().stream())
                .map(Event::getKv)
                .map(kv -> kv.getModRevision())
                .toList();
    }
}
