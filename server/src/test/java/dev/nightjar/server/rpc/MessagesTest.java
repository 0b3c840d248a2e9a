/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.PutResponse;
import dev.nightjar.api.etcdserverpb.ResponseHeader;
import dev.nightjar.api.mvccpb.KeyValue;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MessagesTest {
    private final FakeCall call = new FakeCall();

    @Test
    void a_framed_message_is_what_was_built() throws Exception {
        PutResponse message = PutResponse.newBuilder()
                .setPrevKv(KeyValue.newBuilder().setValue(ByteString.copyFrom(new byte[100_000])))
                .build();
        assertThat(FakeCall.only(Messages.frame(call, message), PutResponse.parser()))
                .isEqualTo(message);
        assertThat(FakeCall.only(Messages.frame(call, PutResponse.getDefaultInstance()), PutResponse.parser()))
                .isEqualTo(PutResponse.getDefaultInstance());
    }

    @Test
    void what_is_no_message_is_refused_as_etcd_does() {
        Status status = Objects.requireNonNull(Messages.check(CompactionRequest.parser(), new byte[] {0x08}));
        assertThat(status.getCode()).isEqualTo(Status.Code.INTERNAL);
        assertThat(status.getDescription()).startsWith("grpc: error unmarshalling request: ");
        assertThat(Messages.check(CompactionRequest.parser(), new byte[] {0x08, 1}))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 127, 128, 16383, 16384, Integer.MAX_VALUE, Long.MAX_VALUE, -1, Long.MIN_VALUE})
    void varints_are_protobufs(long value) throws Exception {
        byte[] expected = new byte[CodedOutputStream.computeUInt64SizeNoTag(value)];
        CodedOutputStream.newInstance(expected).writeUInt64NoTag(value);
        ByteBuf out = Unpooled.buffer();
        Proto.writeVarint(out, value);
        byte[] written = new byte[out.readableBytes()];
        out.readBytes(written);
        assertThat(written).isEqualTo(expected).hasSize(Proto.varintSize(value));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 300, Long.MAX_VALUE})
    void a_header_has_the_size_it_says_and_leaves_out_zeros(long number) throws Exception {
        HeaderWriter writer = new HeaderWriter(-2, Long.MIN_VALUE, () -> number);
        ByteBuf out = Unpooled.buffer();
        writer.write(out, number);
        assertThat(out.readableBytes()).isEqualTo(writer.size(number));
        byte[] written = new byte[out.readableBytes()];
        out.readBytes(written);
        ResponseHeader expected = ResponseHeader.newBuilder()
                .setClusterId(-2)
                .setMemberId(Long.MIN_VALUE)
                .setRevision(number)
                .setRaftTerm(number)
                .build();
        assertThat(PutResponse.parseFrom(written).getHeader()).isEqualTo(expected);
        assertThat(writer.message(number)).isEqualTo(expected);
        assertThat(written)
                .isEqualTo(PutResponse.newBuilder().setHeader(expected).build().toByteArray());
    }
}
