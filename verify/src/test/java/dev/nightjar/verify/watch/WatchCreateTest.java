/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.api.etcdserverpb.ResponseHeader;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchRequest;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
import dev.nightjar.verify.driver.WireText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Answers to create requests: accepted, refused, and which id a watch gets. */
@OnEveryServer
class WatchCreateTest {
    @RegisterExtension
    final FreshServer fresh;

    WatchCreateTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void a_watch_from_now_sees_the_next_put() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            assertThat(WireText.of(call.created(WatchCall.key("foo")))).isEqualTo("#0 @1 created");
            fresh.api().put("foo", "bar");
            assertThat(WireText.of(call.next())).isEqualTo("#0 @2 PUT foo=bar c2 m2 v1");
        }
    }

    @Test
    void every_response_names_cluster_member_and_term() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            ResponseHeader created = call.created(WatchCall.key("foo")).getHeader();
            fresh.api().put("foo", "bar");
            ResponseHeader event = call.next().getHeader();
            call.cancel(0);
            ResponseHeader canceled = call.next().getHeader();
            assertThat(created.getClusterId()).isNotZero();
            assertThat(created.getMemberId()).isNotZero();
            assertThat(created.getRaftTerm()).isPositive();
            assertThat(event.toBuilder().setRevision(1).build()).isEqualTo(created);
            assertThat(canceled.toBuilder().setRevision(1).build()).isEqualTo(created);
        }
    }

    @Test
    void automatic_ids_step_over_chosen_ones() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            assertThat(WireText.of(call.created(WatchCall.key("a").setWatchId(1))))
                    .isEqualTo("#1 @1 created");
            assertThat(WireText.of(call.created(WatchCall.key("a").setWatchId(1))))
                    .isEqualTo("#-1 @1 created canceled \"mvcc: duplicate watch ID provided on the WatchStream\"");
            assertThat(WireText.of(call.created(WatchCall.key("a")))).isEqualTo("#0 @1 created");
            assertThat(WireText.of(call.created(WatchCall.key("a")))).isEqualTo("#2 @1 created");
        }
    }

    @Test
    void a_refused_duplicate_leaves_the_first_watch_alone() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("a").setWatchId(7));
            var _ = call.created(WatchCall.key("b").setWatchId(7));
            fresh.api().put("b", "1");
            fresh.api().put("a", "1");
            assertThat(WireText.of(call.next())).isEqualTo("#7 @3 PUT a=1 c3 m3 v1");
        }
    }

    @Test
    void a_cancelled_id_can_be_chosen_again() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("a").setWatchId(7));
            for (int id = 0; id < 7; id++) {
                assertThat(call.created(WatchCall.key("b")).getWatchId()).isEqualTo(id);
            }
            assertThat(call.created(WatchCall.key("b")).getWatchId()).isEqualTo(8);
            call.cancel(7);
            assertThat(WireText.of(call.next())).isEqualTo("#7 @1 canceled");
            assertThat(WireText.of(call.created(WatchCall.key("c").setWatchId(7))))
                    .isEqualTo("#7 @1 created");
            fresh.api().put("a", "1");
            fresh.api().put("c", "1");
            assertThat(WireText.of(call.next())).isEqualTo("#7 @3 PUT c=1 c3 m3 v1");
        }
    }

    @Test
    void ids_belong_to_one_stream() {
        try (WatchCall first = WatchCall.open(fresh.api());
                WatchCall second = WatchCall.open(fresh.api())) {
            assertThat(first.created(WatchCall.key("a")).getWatchId()).isZero();
            assertThat(second.created(WatchCall.key("a")).getWatchId()).isZero();
            first.cancel(0);
            assertThat(WireText.of(first.next())).isEqualTo("#0 @1 canceled");
            fresh.api().put("a", "1");
            assertThat(WireText.of(second.next())).isEqualTo("#0 @2 PUT a=1 c2 m2 v1");
        }
    }

    @Test
    void a_negative_start_is_refused_and_the_stream_goes_on() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            assertThat(WireText.of(call.created(WatchCall.key("a").setStartRevision(-1))))
                    .isEqualTo("#-1 @1 created canceled \"etcdserver: mvcc: required revision has been compacted\"");
            assertThat(WireText.of(call.created(WatchCall.key("a")))).isEqualTo("#0 @1 created");
        }
    }

    @Test
    void empty_ranges_are_refused_and_the_stream_goes_on() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            for (String end : new String[] {"a", "b"}) {
                WatchCreateRequest.Builder empty =
                        WatchCall.key("b").setRangeEnd(WatchCall.key(end).getKey());
                assertThat(WireText.of(call.created(empty)))
                        .isEqualTo("#-1 @1 created canceled \"mvcc: watcher range is empty\"");
            }
            assertThat(WireText.of(call.created(WatchCall.key("a")))).isEqualTo("#0 @1 created");
        }
    }

    @Test
    void a_request_that_says_nothing_is_passed_over() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            call.send(WatchRequest.getDefaultInstance());
            assertThat(WireText.of(call.created(WatchCall.key("a")))).isEqualTo("#0 @1 created");
        }
    }
}
