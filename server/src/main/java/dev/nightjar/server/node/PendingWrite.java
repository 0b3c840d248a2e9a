/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.apply.CommandType;
import dev.nightjar.core.apply.Result;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One write on its way through the log: a client's, created and finished on its loop, or one of the member's own, on its
 * ticker. In between it only passes through queues.
 */
public abstract class PendingWrite {
    private static final Logger LOG = LoggerFactory.getLogger(PendingWrite.class);

    private final CommandType type;
    private final byte[] body;
    private final Executor loop;
    private long submittedNanos;
    private boolean finished;

    /**
     * @param body the request's bytes
     * @param loop where {@link #complete} is to be called
     */
    protected PendingWrite(CommandType type, byte[] body, Executor loop) {
        this.type = type;
        this.body = body;
        this.loop = loop;
    }

    /**
     * One of the writes that are few, so that an object more does not matter.
     *
     * @param then takes the outcome, see {@link #complete}
     */
    public static PendingWrite of(CommandType type, byte[] body, Executor loop, Consumer<Result> then) {
        return new PendingWrite(type, body, loop) {
            @Override
            protected void complete(Result result) {
                then.accept(result);
            }
        };
    }

    final CommandType type() {
        return type;
    }

    final byte[] body() {
        return body;
    }

    final Executor loop() {
        return loop;
    }

    /** Notes when the write entered the queue; before other threads see it. */
    final void submitted(long nanos) {
        submittedNanos = nanos;
    }

    final long submittedNanos() {
        return submittedNanos;
    }

    /**
     * Hands over the outcome; later calls do nothing, as a result may come after a time-out. On the loop. Throws nothing,
     * as other writes are finished in the same task.
     */
    final void finish(Result result) {
        if (finished) {
            result.drop();
            return;
        }
        finished = true;
        try {
            complete(result);
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("a {} could not be answered", type);
        }
    }

    final void fail(ApiError error) {
        finish(new Result.Failed(error));
    }

    /** The write's outcome, once, on the loop. */
    protected abstract void complete(Result result);
}
