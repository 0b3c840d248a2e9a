/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.api.etcdserverpb.PutResponse;
import dev.nightjar.core.apply.ApiError;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class UnaryCallTest {
    private final FakeCall fake = new FakeCall();
    private final List<Integer> handled = new ArrayList<>();
    private final UnaryCall call = new UnaryCall(fake, (unary, request) -> handled.add(request.readableBytes()));

    private static ByteBuf bytes(int count) {
        return Unpooled.wrappedBuffer(new byte[count]);
    }

    private ByteBuf answer() {
        return Messages.frame(fake, PutResponse.getDefaultInstance());
    }

    @Test
    void the_request_is_handled_without_waiting_for_the_clients_end() {
        call.onMessage(bytes(3));
        assertThat(handled).containsExactly(3);
        assertThat(fake.ended).isNull();
        call.onHalfClose();
        assertThat(fake.ended).isNull();
    }

    @Test
    void an_answer_is_one_message_and_ok() {
        call.onMessage(bytes(0));
        call.reply(answer());
        assertThat(fake.messages).containsExactly(new byte[0]);
        assertThat(fake.ended).isEqualTo(Status.OK);
    }

    @Test
    void a_second_request_ends_the_call_and_the_late_answer_is_dropped() {
        call.onMessage(bytes(1));
        call.onMessage(bytes(2));
        call.reply(answer());
        assertThat(handled).containsExactly(1);
        assertThat(fake.status().getCode()).isEqualTo(Status.Code.INTERNAL);
        assertThat(fake.messages).isEmpty();
        assertThat(fake.buffers).allMatch(buffer -> buffer.refCnt() == 0);
    }

    @Test
    void whoever_works_for_a_client_hears_when_it_is_gone_also_if_that_was_before() {
        List<String> heard = new ArrayList<>();
        call.whenGone(() -> heard.add("gone"));
        assertThat(heard).isEmpty();
        call.onCancel(Status.CANCELLED);
        assertThat(heard).containsExactly("gone");
        call.whenGone(() -> heard.add("long gone"));
        assertThat(heard).containsExactly("gone", "long gone");
    }

    @Test
    void what_an_answer_took_is_given_back_once_it_is_made_also_if_that_fails() {
        List<String> released = new ArrayList<>();
        call.holds(() -> released.add("one"));
        call.holds(() -> released.add("other"));
        fake.failsToSend = true;
        call.lastStep(() -> {
            assertThat(released).isEmpty();
            call.reply(answer());
        });
        assertThat(fake.status().getCode()).isEqualTo(Status.Code.INTERNAL);
        assertThat(released).containsExactly("one", "other");
        call.release();
        assertThat(released).hasSize(2);
    }

    @Test
    void a_call_without_a_request_is_an_error() {
        call.onHalfClose();
        assertThat(fake.status().getCode()).isEqualTo(Status.Code.INTERNAL);
        assertThat(handled).isEmpty();
    }

    @Test
    void errors_have_their_code_and_text() {
        call.fail(ApiError.COMPACTED);
        assertThat(fake.status().getCode()).isEqualTo(Status.Code.OUT_OF_RANGE);
        assertThat(fake.status().getDescription()).isEqualTo("etcdserver: mvcc: required revision has been compacted");
    }

    @Test
    void a_step_that_fails_ends_the_call() {
        fake.failsToSend = true;
        call.step(() -> call.reply(answer()));
        assertThat(fake.status().getCode()).isEqualTo(Status.Code.INTERNAL);
        assertThat(fake.buffers).allMatch(buffer -> buffer.refCnt() == 0);
    }
}
