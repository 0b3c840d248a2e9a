/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.Await;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerHttp;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
import dev.nightjar.verify.driver.WireText;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The end of a watch on the client's wish. */
@OnEveryServer
class WatchCancelTest {
    private static final String WATCHERS = "etcd_debugging_mvcc_watcher_total";

    @RegisterExtension
    final FreshServer fresh;

    WatchCancelTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void a_cancelled_watch_says_so_once_and_is_silent_after() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("foo"));
            var _ = call.created(WatchCall.key("foo"));
            call.cancel(0);
            assertThat(WireText.of(call.next())).isEqualTo("#0 @1 canceled");
            call.cancel(0);
            fresh.api().put("foo", "a");
            fresh.api().put("foo", "b");
            assertThat(WireText.of(call.next())).isEqualTo("#1 @2 PUT foo=a c2 m2 v1");
            assertThat(WireText.of(call.next())).isEqualTo("#1 @3 PUT foo=b c2 m3 v2");
        }
    }

    @Test
    void cancelling_a_watch_that_never_was_is_not_answered() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            call.cancel(12345);
            assertThat(WireText.of(call.created(WatchCall.key("foo")))).isEqualTo("#0 @1 created");
        }
    }

    @Test
    void a_watch_in_mid_history_can_be_cancelled() {
        var _ = fresh.api().hurry(3000, i -> ApiClient.putRequest("foo", ByteString.copyFromUtf8("v" + i)));
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("foo").setStartRevision(1));
            call.cancel(0);
            List<String> until = WireText.of(call.until(response -> response.getCanceled()));
            assertThat(until.getLast()).isEqualTo("#0 @3001 canceled");
            var _ = call.created(WatchCall.key("foo"));
            fresh.api().put("foo", "last");
            assertThat(WireText.of(call.next())).isEqualTo("#1 @3002 PUT foo=last c2 m3002 v3001");
        }
    }

    @Test
    void cancelled_watches_are_not_counted_any_more() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("foo"));
            for (int i = 1; i <= 1000; i++) {
                var _ = call.created(WatchCall.key("foo").setWatchId(i));
            }
            assertThat(ServerHttp.metric(fresh.server(), WATCHERS)).isEqualTo(1001);
            for (int i = 1; i <= 1000; i++) {
                call.cancel(i);
                assertThat(WireText.of(call.next())).isEqualTo("#" + i + " @1 canceled");
            }
            assertThat(ServerHttp.metric(fresh.server(), WATCHERS)).isEqualTo(1);
        }
    }

    @Test
    void the_watches_of_a_closed_stream_are_not_counted_any_more() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            for (int i = 0; i < 100; i++) {
                var _ = call.created(WatchCall.key("foo"));
            }
            assertThat(ServerHttp.metric(fresh.server(), WATCHERS)).isEqualTo(100);
            assertThat(ServerHttp.metric(fresh.server(), "etcd_debugging_mvcc_watch_stream_total"))
                    .isEqualTo(1);
        }
        Await.until(
                "watches are gone",
                Duration.ofSeconds(60),
                () -> ServerHttp.metric(fresh.server(), WATCHERS) == 0
                        && ServerHttp.metric(fresh.server(), "etcd_debugging_mvcc_watch_stream_total") == 0);
    }
}
