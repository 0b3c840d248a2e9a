/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
import dev.nightjar.verify.driver.WireText;
import io.grpc.Metadata;
import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How a whole stream lives and ends. */
@OnEveryServer
class WatchStreamTest {
    @RegisterExtension
    final FreshServer fresh;

    WatchStreamTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void events_go_on_after_the_client_has_said_that_it_will_ask_no_more() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("foo"));
            call.halfClose();
            fresh.api().put("foo", "a");
            assertThat(WireText.of(call.next())).isEqualTo("#0 @2 PUT foo=a c2 m2 v1");
            fresh.api().put("foo", "b");
            assertThat(WireText.of(call.next())).isEqualTo("#0 @3 PUT foo=b c2 m3 v2");
        }
    }

    @Test
    void a_stream_that_asks_for_a_leader_works_while_there_is_one() {
        Metadata metadata = new Metadata();
        metadata.put(Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER), "true");
        try (WatchCall call = WatchCall.open(fresh.api(), metadata)) {
            assertThat(WireText.of(call.created(WatchCall.key("foo")))).isEqualTo("#0 @1 created");
        }
    }

    @Test
    void a_request_over_the_size_limit_ends_the_stream_and_no_other() {
        try (WatchCall call = WatchCall.open(fresh.api());
                WatchCall other = WatchCall.open(fresh.api())) {
            var _ = other.created(WatchCall.key("foo"));
            call.create(WatchCreateRequest.newBuilder().setKey(ByteString.copyFrom(new byte[3 << 20])));
            assertThat(call.end().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            fresh.api().put("foo", "a");
            assertThat(WireText.of(other.next())).isEqualTo("#0 @2 PUT foo=a c2 m2 v1");
        }
    }

    @Test
    void a_server_that_stops_leaves_the_client_to_try_elsewhere() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("foo"));
            var _ = fresh.server().terminate();
            assertThat(call.end().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        }
    }

    @Test
    void a_watch_goes_on_from_its_last_revision_after_a_restart() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("foo"));
            fresh.api().put("foo", "a");
            assertThat(WireText.of(call.next())).isEqualTo("#0 @2 PUT foo=a c2 m2 v1");
        }
        fresh.api().put("foo", "b");
        fresh.server().kill();
        fresh.server().start();
        try (ApiClient again = new ApiClient(fresh.server().endpoint());
                WatchCall call = WatchCall.open(again)) {
            var _ = call.created(WatchCall.key("foo").setStartRevision(3));
            assertThat(WireText.of(call.next())).isEqualTo("#0 @3 PUT foo=b c2 m3 v2");
            again.put("foo", "c");
            assertThat(WireText.of(call.next())).isEqualTo("#0 @4 PUT foo=c c2 m4 v3");
        }
    }
}
