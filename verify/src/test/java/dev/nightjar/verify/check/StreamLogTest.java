/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.ResponseHeader;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.api.mvccpb.KeyValue;
import org.junit.jupiter.api.Test;

class StreamLogTest {
    private final StreamLog stream = new StreamLog();

    @Test
    void create_answers_belong_to_create_requests_in_order() {
        stream.asked(request("a"));
        stream.asked(request("b"));
        stream.asked(request("c"));
        stream.accept(response(0).setCreated(true).build());
        stream.accept(response(-1).setCreated(true).setCanceled(true).build());
        stream.accept(response(1).setCreated(true).build());
        assertThat(stream.watches()).extracting(WatchLog::request).containsExactly(request("a"), request("c"));
        assertThat(stream.violations()).isEmpty();
    }

    @Test
    void progress_of_the_whole_stream_reaches_every_watch() {
        open(0, 1);
        stream.accept(response(-1).build());
        assertThat(stream.watches())
                .allSatisfy(log -> assertThat(log.deliveries().getLast()).isEqualTo(new Delivery.Progress(7)));
    }

    @Test
    void progress_of_the_whole_stream_is_not_about_ended_watches() {
        open(0, 1);
        stream.accept(response(0).setCanceled(true).build());
        stream.accept(response(-1).build());
        assertThat(stream.watches().get(0).deliveries().getLast()).isEqualTo(new Delivery.Canceled(0));
        assertThat(stream.watches().get(1).deliveries().getLast()).isEqualTo(new Delivery.Progress(7));
    }

    @Test
    void parts_are_joined() {
        open(0);
        stream.accept(response(0).addEvents(event(2)).setFragment(true).build());
        stream.accept(response(0).addEvents(event(3)).setFragment(true).build());
        stream.accept(response(0).addEvents(event(4)).build());
        assertThat(stream.watches().getFirst().batches()).hasSize(1);
        assertThat(stream.watches().getFirst().events()).containsExactly(event(2), event(3), event(4));
        assertThat(stream.violations()).isEmpty();
    }

    @Test
    void a_response_between_parts_is_a_violation() {
        open(0, 1);
        stream.accept(response(0).addEvents(event(2)).setFragment(true).build());
        stream.accept(response(1).addEvents(event(2)).build());
        assertThat(stream.violations()).hasSize(1);
    }

    @Test
    void a_response_for_an_unknown_watch_is_a_violation() {
        stream.accept(response(5).addEvents(event(2)).build());
        assertThat(stream.violations()).hasSize(1);
    }

    @Test
    void an_answer_that_nobody_asked_for_is_a_violation() {
        stream.accept(response(0).setCreated(true).build());
        assertThat(stream.violations()).hasSize(1);
    }

    @Test
    void events_in_a_canceled_response_are_a_violation() {
        open(0);
        stream.accept(response(0).setCanceled(true).addEvents(event(2)).build());
        assertThat(stream.violations()).hasSize(1);
    }

    @Test
    void the_answer_to_a_cancel_that_crossed_an_end_by_compaction_is_no_second_end() {
        open(0);
        stream.accept(response(0).setCanceled(true).setCompactRevision(5).build());
        stream.cancelAsked(0);
        stream.accept(response(0).setCanceled(true).build());
        assertThat(stream.watches().getFirst().deliveries())
                .containsExactly(new Delivery.Created(7), new Delivery.Canceled(5));
        stream.accept(response(0).setCanceled(true).build());
        assertThat(stream.watches().getFirst().deliveries()).hasSize(3);
    }

    private void open(long... ids) {
        for (long id : ids) {
            stream.asked(request("k" + id));
            stream.accept(response(id).setCreated(true).build());
        }
    }

    private static WatchCreateRequest request(String key) {
        return WatchCreateRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8(key))
                .build();
    }

    private static WatchResponse.Builder response(long id) {
        return WatchResponse.newBuilder()
                .setHeader(ResponseHeader.newBuilder().setRevision(7))
                .setWatchId(id);
    }

    private static Event event(long revision) {
        return Event.newBuilder()
                .setKv(KeyValue.newBuilder().setModRevision(revision))
                .build();
    }
}
