/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.core.mvcc.LongRead;
import dev.nightjar.core.mvcc.RangeCursor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Reads the answers that results defer. */
final class Answers {
    private static final AnswerBudget ROOM = new AnswerBudget(1 << 30);

    private Answers() {}

    /** The answer of a transaction, whether it was made at once or is read now. */
    static TxnResponse txn(Result result) {
        if (result instanceof Result.Txn made) {
            return made.response();
        }
        try {
            return TxnResponse.parseFrom(bytes((Result.Deferred) result, 4096));
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    /** Copies in pieces of some bytes; fails if it comes to another length than was measured. */
    static byte[] bytes(Result.Deferred result, int pieceBytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (LongRead read = result.answer().measure(ROOM)) {
            ByteBuffer piece = ByteBuffer.allocateDirect(Math.max(pieceBytes, RangeCursor.MAX_HEAD_BYTES));
            while (!read.isDone()) {
                read.copy(piece.clear());
                if (piece.position() == 0) {
                    throw new AssertionError("nothing was copied");
                }
                byte[] copied = new byte[piece.flip().remaining()];
                piece.get(copied);
                out.writeBytes(copied);
            }
            if (out.size() != read.bytes()) {
                throw new AssertionError(out.size() + " bytes in place of " + read.bytes());
            }
        }
        return out.toByteArray();
    }
}
