/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import dev.nightjar.core.mvcc.DeleteResult;
import dev.nightjar.core.mvcc.KvView;
import java.util.List;

/**
 * What one command's result copies, of the {@link AnswerBudget}. What it has no room for is read when the answer is sent.
 * Owned by the thread that carries the command out.
 */
final class AnswerShare {
    /** Most bytes that one command copies: a batch of commands takes little of the heap and of the apply thread's time. */
    static final int COMMAND_BYTES = 64 << 10;

    /** Objects and arrays around the bytes of one key-value. */
    static final int KEY_VALUE_BYTES = 200;

    private final AnswerBudget budget;
    private final boolean wanted;
    private long bytes;

    private AnswerShare(AnswerBudget budget, boolean wanted) {
        this.budget = budget;
        this.wanted = wanted;
    }

    AnswerShare(AnswerBudget budget) {
        this(budget, true);
    }

    /** Of a command whose answer nobody waits for. */
    static AnswerShare unwanted() {
        return new AnswerShare(new AnswerBudget(0), false);
    }

    /** Whether there is to be an answer. */
    boolean isWanted() {
        return wanted;
    }

    /** Takes room for a copy of a key-value; false, with nothing taken, if there is none. */
    boolean take(KvView kv) {
        return takeBytes(KEY_VALUE_BYTES + (long) kv.encodedLength());
    }

    /** Takes room for copies of key-values, all or none. */
    boolean take(List<KvView> kvs, boolean keysOnly) {
        long more = 0;
        for (KvView kv : kvs) {
            more += KEY_VALUE_BYTES + (long) (keysOnly ? kv.encodedLengthWithoutValue() : kv.encodedLength());
        }
        return takeBytes(more);
    }

    /** Takes room for copies of everything that was deleted, if that is little. */
    boolean take(DeleteResult deleted) {
        if (deleted.count() > TxnReplies.FEW_KEYS) {
            return false;
        }
        long more = 0;
        for (DeleteResult.DeletedKey key : deleted) {
            more += KEY_VALUE_BYTES + (long) key.previous().encodedLength();
        }
        return takeBytes(more);
    }

    private boolean takeBytes(long more) {
        if (!wanted || bytes + more > COMMAND_BYTES || !budget.take(more)) {
            return false;
        }
        bytes += more;
        return true;
    }

    /** What is held until the answer has left. */
    long bytes() {
        return bytes;
    }
}
