/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.ResponseOp;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.core.apply.JoinedRead.Part;
import dev.nightjar.core.mvcc.LongRead;
import dev.nightjar.core.mvcc.MemoryBudget;
import dev.nightjar.core.mvcc.RangeCursor;
import dev.nightjar.core.mvcc.ReadView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Lays out a {@link LongAnswer}: bytes that are known, and reads with their measured lengths, in the order of the message.
 * The length of each message stands before it, so that this goes from the inside to the outside. One thread, one answer.
 */
final class AnswerLayout {
    private static final int TAG_RESPONSES = TxnResponse.RESPONSES_FIELD_NUMBER << 3 | 2;

    private final ReadView view;
    private final List<DeferredRead> reads;
    private final MemoryBudget budget;
    private int operation;
    private int nextRead;

    AnswerLayout(ReadView view, List<DeferredRead> reads, MemoryBudget budget) {
        this.view = view;
        this.reads = reads;
        this.budget = budget;
    }

    LongRead txn(TxnResponse skeleton) {
        return joined(content(skeleton));
    }

    /** An answer with one read at its end. */
    LongRead single(MessageLite skeleton) {
        return joined(content(skeleton, reads.getFirst()));
    }

    private LongRead joined(Content content) {
        return new JoinedRead(view, List.copyOf(content.parts), content.bytes, budget);
    }

    /** The content of a message, under construction. */
    private static final class Content {
        private final Deque<Part> parts = new ArrayDeque<>();
        private long bytes;

        Content(byte[] first) {
            add(new Part.Known(first));
        }

        final void add(Part part) {
            parts.addLast(part);
            bytes += part.bytes();
        }

        void add(Content other) {
            parts.addAll(other.parts);
            bytes += other.bytes;
        }

        /** Makes it a field of another message. */
        Content inField(int tag) {
            Part head = new Part.Known(fieldHead(tag, bytes));
            parts.addFirst(head);
            bytes += head.bytes();
            return this;
        }
    }

    private Content content(TxnResponse skeleton) {
        Content content =
                new Content(skeleton.toBuilder().clearResponses().build().toByteArray());
        for (ResponseOp op : skeleton.getResponsesList()) {
            content.add(content(op).inField(TAG_RESPONSES));
        }
        return content;
    }

    private Content content(ResponseOp op) {
        int number = operation++;
        int tag = op.getResponseCase().getNumber() << 3 | 2;
        if (op.hasResponseTxn()) {
            return content(op.getResponseTxn()).inField(tag);
        }
        if (nextRead == reads.size() || reads.get(nextRead).operation() != number) {
            return new Content(op.toByteArray());
        }
        MessageLite skeleton = switch (op.getResponseCase()) {
            case RESPONSE_RANGE -> op.getResponseRange();
            case RESPONSE_PUT -> op.getResponsePut();
            case RESPONSE_DELETE_RANGE -> op.getResponseDeleteRange();
            case RESPONSE_TXN, RESPONSE_NOT_SET -> throw new IllegalStateException("a read for no answer");
        };
        return content(skeleton, reads.get(nextRead++)).inField(tag);
    }

    private Content content(MessageLite skeleton, DeferredRead read) {
        Content content = new Content(skeleton.toByteArray());
        try (RangeCursor cursor = view.cursor(read.query(), read.changed(), budget)) {
            if (cursor.bytes() > 0) {
                content.add(new Part.Read(read, cursor.bytes()));
            }
            if (read.totals()) {
                content.add(new Part.Known(RangeResponse.newBuilder()
                        .setMore(cursor.more())
                        .setCount(cursor.count())
                        .build()
                        .toByteArray()));
            }
        }
        return content;
    }

    private static byte[] fieldHead(int tag, long contentBytes) {
        byte[] head = new byte
                [CodedOutputStream.computeUInt32SizeNoTag(tag)
                        + CodedOutputStream.computeUInt64SizeNoTag(contentBytes)];
        try {
            CodedOutputStream out = CodedOutputStream.newInstance(head);
            out.writeUInt32NoTag(tag);
            out.writeUInt64NoTag(contentBytes);
            out.checkNoSpaceLeft();
        } catch (IOException e) {
            throw new UncheckedIOException("an array took no bytes", e);
        }
        return head;
    }
}
