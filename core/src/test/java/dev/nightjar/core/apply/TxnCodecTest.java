/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import static dev.nightjar.core.apply.Requests.putOp;
import static dev.nightjar.core.apply.Requests.txn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class TxnCodecTest {
    /** Half of what the threads of a server have. */
    private static final long STACK_BYTES = 512 << 10;

    @Test
    void as_many_levels_as_promised_are_read_with_a_small_stack() throws Exception {
        TxnRequest request = onSmallStack(nested(TxnCodec.MAX_NESTED));
        int levels = 0;
        while (request.getSuccess(0).hasRequestTxn()) {
            request = request.getSuccess(0).getRequestTxn();
            levels++;
        }
        assertThat(levels).isEqualTo(TxnCodec.MAX_NESTED);
        assertThat(request.getSuccess(0)).isEqualTo(putOp("k"));
    }

    @Test
    void one_level_more_is_malformed_and_so_are_thousands() throws Exception {
        for (int levels : new int[] {TxnCodec.MAX_NESTED + 1, 1000, 100_000}) {
            byte[] body = nested(levels);
            assertThatThrownBy(() -> onSmallStack(body))
                    .as("%d", levels)
                    .hasCauseInstanceOf(InvalidProtocolBufferException.class);
        }
    }

    private static TxnRequest onSmallStack(byte[] body) throws Exception {
        var task = new FutureTask<>(() -> TxnCodec.parse(body));
        new Thread(null, task, "small stack", STACK_BYTES).start();
        return task.get();
    }

    /** A put within so many transactions, each the only operation of the next; written from the inside out, without recursion. */
    private static byte[] nested(int levels) throws IOException {
        // Heads are collected in reverse, since each one tells the length of all that follows it.
        int size = txn(putOp("k")).getSerializedSize();
        var heads = new ArrayList<byte[]>();
        for (int i = 0; i < levels; i++) {
            for (int field : new int[] {RequestOp.REQUEST_TXN_FIELD_NUMBER, TxnRequest.SUCCESS_FIELD_NUMBER}) {
                var head = new ByteArrayOutputStream();
                CodedOutputStream out = CodedOutputStream.newInstance(head);
                out.writeTag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
                out.writeUInt32NoTag(size);
                out.flush();
                heads.add(head.toByteArray());
                size += head.size();
            }
        }
        var whole = new ByteArrayOutputStream(size);
        for (byte[] head : heads.reversed()) {
            whole.write(head);
        }
        txn(putOp("k")).writeTo(whole);
        return whole.toByteArray();
    }
}
