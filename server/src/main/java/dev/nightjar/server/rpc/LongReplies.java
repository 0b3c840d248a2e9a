/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.core.apply.Result;
import dev.nightjar.core.mvcc.LongRead;
import dev.nightjar.core.mvcc.MemoryBudget;
import dev.nightjar.core.mvcc.ReadTooLargeException;
import dev.nightjar.wire.RawCall;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Sends what is read for an answer, in the way that fits its length. Read on reader threads, sent on the call's loop:
 *
 * <pre>
 *   up to 1 MiB     in one buffer
 *   more            in pieces, see {@link PiecedReply}
 * </pre>
 *
 * A message is compressed as a whole, as its length goes out before it. So a client that asked for it gets answers up to
 * 16 MiB compressed, and longer ones as they are, which gRPC allows for each message.
 */
final class LongReplies {
    /** Bytes up to which an answer is made in one piece; copied in well under a millisecond. */
    static final long WHOLE_BYTES = 1 << 20;

    /** Compressing more takes a reader thread for most of a second. */
    static final long COMPRESSED_BYTES = 16 << 20;

    /** How often an answer looks for memory to sort in: for ten seconds, in which others have left if anybody reads. */
    static final int MEMORY_TRIES = 500;

    private final Executor readers;
    private final MemoryBudget budget;
    private final KvReplies replies;

    /** @param budget for sorting */
    LongReplies(Executor readers, MemoryBudget budget, KvReplies replies) {
        this.readers = readers;
        this.budget = budget;
        this.replies = replies;
    }

    /**
     * On a reader thread: what the loop is to do then.
     *
     * @param read taken over
     */
    Runnable reply(UnaryCall call, KvReplies.Outline outline, LongRead read) {
        boolean kept = false;
        try {
            RawCall raw = call.raw();
            long bytes = outline.messageBytes();
            if (bytes > KvReplies.MAX_MESSAGE_BYTES) {
                return () -> call.finish(KvReplies.tooLarge(bytes));
            }
            if (bytes <= WHOLE_BYTES) {
                ByteBuf answer = outline.write(raw, read);
                return () -> call.reply(answer);
            }
            if (raw.compresses() && bytes <= COMPRESSED_BYTES && raw.hasMemoryFor(2 * bytes)) {
                ByteBuf answer = raw.compress(outline.write(raw, read));
                return () -> call.reply(answer);
            }
            kept = true;
            return () -> call.send(new PiecedReply(call, readers, outline, read, PiecedReply.Pace.DEFAULT));
        } finally {
            if (!kept) {
                read.close();
            }
        }
    }

    /**
     * Reads and sends what is missing of a result. What was written is written, so that this waits where a read would be
     * refused.
     *
     * @param result taken over
     */
    void answer(UnaryCall call, Result.Deferred result) {
        answer(call, result, MEMORY_TRIES);
    }

    private void answer(UnaryCall call, Result.Deferred result, int tries) {
        if (call.hasEnded()) {
            result.drop();
            call.release();
            return;
        }
        try {
            readers.execute(() -> {
                Runnable then = measured(call, result, tries);
                call.raw().loop().execute(then);
            });
        } catch (RejectedExecutionException e) {
            Retry.later(call.raw(), () -> answer(call, result, tries));
        }
    }

    /** On a reader thread: what the loop is to do then. */
    private Runnable measured(UnaryCall call, Result.Deferred result, int tries) {
        try {
            LongRead read = result.answer().measure(budget);
            Runnable answer = reply(call, replies.outline(result.revision(), read), read);
            return () -> call.lastStep(answer);
        } catch (ReadTooLargeException e) {
            if (tries > 0) {
                return () -> Retry.later(call.raw(), () -> answer(call, result, tries - 1));
            }
            result.drop();
            return () -> call.lastStep(() -> call.finish(KvReplies.NO_MEMORY));
        } catch (RuntimeException | Error e) {
            result.drop();
            return () -> call.lastStep(() -> call.broken(e));
        }
    }
}
