/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
import dev.nightjar.verify.driver.WireText;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a compaction takes from watches, and what it must leave. */
@OnEveryServer
class WatchCompactionTest {
    @RegisterExtension
    final FreshServer fresh;

    WatchCompactionTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void a_start_below_the_compacted_revision_ends_with_it_and_nothing_more() {
        for (int i = 0; i < 20; i++) {
            fresh.api().put("x", "v");
        }
        fresh.api().compact(10);
        try (WatchCall call = WatchCall.open(fresh.api())) {
            assertThat(WireText.of(call.created(WatchCall.key("x").setStartRevision(3))))
                    .isEqualTo("#0 @21 created");
            assertThat(WireText.of(call.next())).isEqualTo("#0 @0 canceled compact 10");
            assertThat(call.nextWithin(Duration.ofMillis(300))).isEmpty();
            var _ = call.created(WatchCall.key("x").setStartRevision(10));
            var replayed = call.events(12);
            assertThat(replayed)
                    .allSatisfy(response -> assertThat(response.getWatchId()).isEqualTo(1));
            assertThat(replayed.getFirst().getEvents(0).getKv().getModRevision())
                    .isEqualTo(10);
        }
    }

    @Test
    void a_live_watch_does_not_notice_a_compaction() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("x"));
            fresh.api().put("x", "a");
            assertThat(WireText.of(call.next())).isEqualTo("#0 @2 PUT x=a c2 m2 v1");
            for (int i = 0; i < 5; i++) {
                fresh.api().put("y", "b");
            }
            fresh.api().compact(7);
            fresh.api().put("x", "c");
            assertThat(WireText.of(call.next())).isEqualTo("#0 @8 PUT x=c c2 m8 v2");
        }
    }

    @Test
    void a_deletion_at_the_compacted_revision_is_still_told() {
        tellOfADeletionAtFive(fresh.api());
        fresh.api().compact(5);
        assertDeletionAtFive(fresh.api());
    }

    @Test
    void a_deletion_at_the_compacted_revision_is_still_told_after_a_restart() {
        tellOfADeletionAtFive(fresh.api());
        fresh.api().compact(5);
        fresh.server().kill();
        fresh.server().start();
        try (ApiClient again = new ApiClient(fresh.server().endpoint())) {
            assertDeletionAtFive(again);
        }
    }

    private static void tellOfADeletionAtFive(ApiClient api) {
        api.put("k", "2");
        api.put("k", "3");
        api.put("k", "4");
        var _ = api.delete("k");
        api.put("k", "6");
    }

    private static void assertDeletionAtFive(ApiClient api) {
        try (WatchCall call = WatchCall.open(api)) {
            var _ = call.created(WatchCall.key("k").setStartRevision(5));
            assertThat(WireText.events(call.events(2))).containsExactly("DELETE k m5", "PUT k=6 c6 m6 v1");
        }
    }

    @Test
    void a_deletion_that_is_the_last_revision_survives_its_compaction() {
        fresh.api().put("a", "1");
        fresh.api().put("b", "1");
        var _ = fresh.api().delete("a");
        fresh.api().compact(4);
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("a").setStartRevision(4));
            assertThat(WireText.of(call.next())).isEqualTo("#0 @4 DELETE a m4");
        }
    }

    /** etcd lets a watch that a compaction ended hold up the progress of its whole stream until it is cancelled too. */
    @Test
    void an_ended_watch_does_not_hold_up_progress() {
        fresh.api().put("x", "a");
        fresh.api().put("x", "b");
        fresh.api().compact(3);
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("x").setStartRevision(1));
            assertThat(WireText.of(call.next())).isEqualTo("#0 @0 canceled compact 3");
            var _ = call.created(WatchCall.key("x"));
            call.requestProgress();
            switch (fresh.kind()) {
                case NIGHTJAR -> assertThat(WireText.of(call.next())).isEqualTo("#-1 @3 progress");
                case ETCD -> assertThat(call.nextWithin(Duration.ofSeconds(1))).isEmpty();
            }
        }
    }
}
