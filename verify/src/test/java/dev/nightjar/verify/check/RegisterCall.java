/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import org.jspecify.annotations.Nullable;

/**
 * One call of a client on one key, seen as a register that holds a value or none; a value.
 *
 * @param beginNanos when the client sent it
 * @param endNanos when the client had the answer; {@link #NEVER} if none came, and the call may have happened at any time
 *     after its begin, or not at all
 */
public record RegisterCall(long beginNanos, long endNanos, Action action) {
    public static final long NEVER = Long.MAX_VALUE;

    /** What was asked and, for a call with an answer, what the answer said. */
    public sealed interface Action {
        /** @param seen null if there was no value */
        record Read(@Nullable String seen) implements Action {}

        /** @param value null to delete */
        record Write(@Nullable String value) implements Action {}

        /** A write that had to find {@code expected}, and did. */
        record Swap(@Nullable String expected, String value) implements Action {}

        /** A write that had to find {@code expected}, and found something else. */
        record FailedSwap(
                @Nullable String expected, @Nullable String seen) implements Action {}
    }

    /** A call that got no answer. */
    public static RegisterCall unanswered(long beginNanos, Action action) {
        return new RegisterCall(beginNanos, NEVER, action);
    }

    boolean isAnswered() {
        return endNanos != NEVER;
    }
}
