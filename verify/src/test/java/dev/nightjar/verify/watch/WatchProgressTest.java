/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.verify.check.History;
import dev.nightjar.verify.check.Operation;
import dev.nightjar.verify.check.StreamLog;
import dev.nightjar.verify.check.WatchChecks;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
import dev.nightjar.verify.driver.WireText;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Bookmarks: periodic ones and those that a client asks for. */
@OnEveryServer
class WatchProgressTest {
    private static final Duration INTERVAL = Duration.ofMillis(200);
    private static final Duration QUIET = Duration.ofMillis(700);

    @RegisterExtension
    final FreshServer fresh;

    WatchProgressTest(ServerKind kind) {
        fresh = new FreshServer(kind, "--watch-progress-notify-interval=" + INTERVAL.toMillis() + "ms");
    }

    @Test
    void periodic_progress_reaches_the_watches_that_want_it() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("foo"));
            var _ = call.created(WatchCall.key("foo").setProgressNotify(true));
            assertThat(WireText.of(call.next())).isEqualTo("#1 @1 progress");
            fresh.api().put("other", "");
            List<WatchResponse> after =
                    call.until(response -> response.getHeader().getRevision() == 2);
            assertThat(WireText.of(after.getLast())).isEqualTo("#1 @2 progress");
        }
    }

    @Test
    void a_watch_that_has_just_had_events_needs_no_progress() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            long quietSince = System.nanoTime();
            var _ = call.created(WatchCall.key("foo").setProgressNotify(true));
            long end = System.nanoTime() + Duration.ofMillis(1500).toNanos();
            long revision = 1;
            while (System.nanoTime() < end) {
                long begin = System.nanoTime();
                long before = revision;
                revision = fresh.api().put("foo", "v");
                WatchResponse next = call.next();
                while (next.getEventsCount() == 0 && System.nanoTime() - quietSince > INTERVAL.toNanos()) {
                    // A slow machine: it had nothing to tell for so long that it had to speak.
                    assertThat(WireText.of(next)).isEqualTo("#0 @" + before + " progress");
                    next = call.next();
                }
                assertThat(next.getEventsCount()).as("at revision %d", revision).isEqualTo(1);
                assertThat(next.getHeader().getRevision()).isEqualTo(revision);
                quietSince = begin;
            }
            assertThat(WireText.of(call.next())).isEqualTo("#0 @" + revision + " progress");
        }
    }

    @Test
    void a_watch_of_the_future_gets_no_progress_below_its_start() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("foo").setStartRevision(4).setProgressNotify(true));
            assertThat(call.nextWithin(QUIET)).isEmpty();
            call.requestProgress();
            assertThat(call.nextWithin(QUIET)).isEmpty();
            for (int i = 0; i < 3; i++) {
                fresh.api().put("other", "");
            }
            assertThat(WireText.of(call.next())).isEqualTo("#0 @4 progress");
        }
    }

    @Test
    void a_stream_without_watches_does_not_answer() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            call.requestProgress();
            assertThat(WireText.of(call.created(WatchCall.key("foo")))).isEqualTo("#0 @1 created");
            assertThat(call.nextWithin(QUIET)).isEmpty();
        }
    }

    @Test
    void one_answer_speaks_for_all_watches_of_the_stream() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("foo"));
            call.requestProgress();
            assertThat(WireText.of(call.next())).isEqualTo("#-1 @1 progress");
            var _ = call.created(WatchCall.key("bar"));
            fresh.api().put("other", "");
            call.requestProgress();
            assertThat(WireText.of(call.next())).isEqualTo("#-1 @2 progress");
            assertThat(call.nextWithin(QUIET)).isEmpty();
        }
    }

    @Test
    void watches_of_a_quiet_key_can_be_asked_about_whatever_their_start() {
        fresh.api().put("other", "");
        for (long start : new long[] {0, 1, 2}) {
            try (WatchCall call = WatchCall.open(fresh.api())) {
                var _ = call.created(WatchCall.key("quiet").setStartRevision(start));
                Optional<WatchResponse> answer = Optional.empty();
                for (int i = 0; i < 600 && answer.isEmpty(); i++) {
                    call.requestProgress();
                    answer = call.nextWithin(Duration.ofMillis(100));
                }
                assertThat(answer.map(WireText::of)).as("start %d", start).hasValue("#-1 @2 progress");
            }
        }
    }

    /** etcd says nothing at all as long as one watch of the stream is behind or ahead. */
    @Test
    void a_watch_of_the_future_does_not_hold_up_the_progress_of_others() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("foo").setWatchId(11));
            var _ = call.created(WatchCall.key("foo").setWatchId(12).setStartRevision(1_000_001));
            call.requestProgress();
            switch (fresh.kind()) {
                case NIGHTJAR -> assertThat(WireText.of(call.next())).isEqualTo("#11 @1 progress");
                case ETCD -> assertThat(call.nextWithin(Duration.ofSeconds(1))).isEmpty();
            }
        }
    }

    @Test
    void progress_never_runs_ahead_of_events() throws InterruptedException {
        History history = new History();
        StreamLog log = new StreamLog();
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var watch = WatchCall.key("k").setStartRevision(1);
            long begun = fresh.api().hurry(3000, _ -> ApiClient.putRequest("k", ByteString.copyFromUtf8("old")));
            for (long revision = 2; revision <= begun; revision++) {
                history.apply(revision, Operation.put("k", "old"));
            }
            log.asked(watch.build());
            call.create(watch);
            for (int i = 1; i <= 2000; i++) {
                call.requestProgress();
                history.apply(fresh.api().put("k", "new " + i), Operation.put("k", "new " + i));
            }
            while (log.watch(0).map(k -> k.lastKnownRevision()).orElse(0L) < history.revision()) {
                log.accept(call.next());
            }
        }
        WatchChecks.assertKept(List.of(log), history);
    }
}
