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

    /**
     * A put was stored.
     *
     * @param revision the revision it made
     * @param previous the encoded KeyValue before it, if asked for and if there was one
     */
    record Put(long revision, byte @Nullable [] previous) implements Result {}

    /**
     * A range was deleted.
     *
     * @param revision the store's revision afterwards
     * @param deleted number of keys
     * @param previous their encoded KeyValues in key order, empty if not asked for
     */
    record Deleted(long revision, long deleted, List<byte[]> previous) implements Result {}

    /**
     * A transaction was executed.
     *
     * @param revision the store's revision afterwards
     * @param response the answer without its outer header
     */
    record Txn(long revision, TxnResponse response) implements Result {}

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
