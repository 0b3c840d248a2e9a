/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import dev.nightjar.core.mvcc.DeleteResult;
import dev.nightjar.core.mvcc.KvView;

/** What one command's result takes of the {@link AnswerBudget}. Owned by the thread that carries the command out. */
final class AnswerShare {
    /** Objects and arrays around the bytes of one key-value. */
    static final int KEY_VALUE_BYTES = 200;

    private final AnswerBudget budget;
    private long bytes;
    private boolean givenUp;

    AnswerShare(AnswerBudget budget) {
        this.budget = budget;
    }

    /** Takes room for a copy of a key-value. */
    boolean take(KvView kv) {
        return take(kv.encodedLength());
    }

    /** Takes room for a copy of so many bytes of a key-value; if there is none gives up what was taken before, and the answer with it. */
    boolean take(int encodedBytes) {
        return takeBytes(KEY_VALUE_BYTES + (long) encodedBytes);
    }

    /** Takes room for copies of everything that was deleted, before the first one is made. */
    boolean take(DeleteResult deleted) {
        long more = 0;
        for (DeleteResult.DeletedKey key : deleted) {
            more += KEY_VALUE_BYTES + (long) key.previous().encodedLength();
            if (more > budget.limitBytes()) {
                giveUp();
                return false;
            }
        }
        return takeBytes(more);
    }

    private boolean takeBytes(long more) {
        if (givenUp) {
            return false;
        }
        if (budget.take(more)) {
            bytes += more;
            return true;
        }
        giveUp();
        return false;
    }

    /** Whether there is no answer to be made any more. */
    boolean isGivenUp() {
        return givenUp;
    }

    /** What is held until the answer has left. */
    long bytes() {
        return bytes;
    }

    void giveUp() {
        givenUp = true;
        budget.release(bytes);
        bytes = 0;
    }
}
