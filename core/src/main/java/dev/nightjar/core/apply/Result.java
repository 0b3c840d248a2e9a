/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import dev.nightjar.api.etcdserverpb.AlarmMember;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What became of a command. Immutable, holds copies, so it may go to any thread. */
public sealed interface Result {

    /** What the result's copies of key-values hold of the {@link AnswerBudget} until they are given back. */
    default long heldBytes() {
        return 0;
    }

    /** The result is not wanted any more, and has not been given to anybody. */
    default void drop() {
        // most results hold nothing but memory
    }

    /**
     * A put was stored.
     *
     * @param revision the revision it made
     * @param previous the encoded KeyValue before it, if asked for and if there was one
     */
    record Put(long revision, byte @Nullable [] previous, long heldBytes) implements Result {
        /** Without copies, or with some that are not counted. */
        public Put(long revision, byte @Nullable [] previous) {
            this(revision, previous, 0);
        }
    }

    /**
     * A range was deleted.
     *
     * @param revision the store's revision afterwards
     * @param deleted number of keys
     * @param previous their encoded KeyValues in key order, empty if not asked for
     */
    record Deleted(long revision, long deleted, List<byte[]> previous, long heldBytes) implements Result {
        /** Without copies, or with some that are not counted. */
        public Deleted(long revision, long deleted, List<byte[]> previous) {
            this(revision, deleted, previous, 0);
        }
    }

    /**
     * A transaction was executed.
     *
     * @param revision the store's revision afterwards
     * @param response the answer without its outer header
     */
    record Txn(long revision, TxnResponse response, long heldBytes) implements Result {
        /** Without copies, or with some that are not counted. */
        public Txn(long revision, TxnResponse response) {
            this(revision, response, 0);
        }
    }

    /**
     * A put, a delete or a transaction was carried out; most of its answer is still to be read.
     *
     * @param revision the store's revision afterwards
     * @param answer taken over by whoever gets the result
     */
    record Deferred(long revision, LongAnswer answer, long heldBytes) implements Result {
        @Override
        public void drop() {
            answer.close();
        }
    }

    /** The command was carried out, and nobody waits for its answer; {@code revision} is the store's. */
    record Unanswered(long revision) implements Result {}

    /** The history below a revision was given up; {@code revision} is the store's. */
    record Compacted(long revision) implements Result {}

    /** A member's attributes were stored; {@code revision} is the store's. */
    record MemberStored(long revision) implements Result {}

    /**
     * An alarm request was carried out.
     *
     * @param revision the store's revision
     * @param alarms the alarms that it is about
     */
    record Alarms(long revision, List<AlarmMember> alarms) implements Result {}

    /** The command changed nothing. */
    record Failed(ApiError error) implements Result {}
}
