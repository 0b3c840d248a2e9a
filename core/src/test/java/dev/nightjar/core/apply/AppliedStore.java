/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.MessageLite;
import dev.nightjar.core.cluster.AlarmRegistry;
import dev.nightjar.core.cluster.MemberRegistry;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import dev.nightjar.core.watch.WatchLimits;
import dev.nightjar.core.watch.WatchObserver;
import dev.nightjar.core.watch.WatchableStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A state machine with its store in a directory, fed one command or one batch at a time. */
final class AppliedStore implements AutoCloseable {
    final MvccStore store;
    final MemberRegistry members;
    final AlarmRegistry alarms;
    private final Applier applier;
    final AnswerBudget answers;
    private long index;

    AppliedStore(Path directory) throws IOException {
        this(directory, EntryGrowth.LIMIT);
    }

    AppliedStore(Path directory, long growthLimit) throws IOException {
        this(directory, growthLimit, new AnswerBudget(1 << 20));
    }

    AppliedStore(Path directory, long growthLimit, AnswerBudget answers) throws IOException {
        this.answers = answers;
        this.store = MvccStore.open(SegmentLog.open(
                new SegmentLog.Options(FileSystem.real(), directory, SegmentLog.SEGMENT_BYTES, 1, Runnable::run)));
        this.index = store.appliedIndex();
        this.members = new MemberRegistry(store);
        this.alarms = new AlarmRegistry(store);
        WatchableStore watches = new WatchableStore(store, WatchLimits.DEFAULT, WatchObserver.NONE);
        this.applier = new Applier(store, watches, members, alarms, answers, growthLimit);
    }

    /** Applies one command as an entry of its own and commits. */
    Result apply(CommandType type, MessageLite request) {
        Result result = applyWithoutCommit(type, request);
        commit();
        return result;
    }

    /** Applies commands as one entry and commits. */
    List<Result> applyTogether(CommandType type, MessageLite... requests) {
        int bytes = CommandCodec.ENTRY_HEADER_BYTES;
        for (MessageLite request : requests) {
            bytes += CommandCodec.COMMAND_HEADER_BYTES + request.getSerializedSize();
        }
        ByteBuffer entry = ByteBuffer.allocate(bytes);
        CommandCodec.putEntryHeader(entry, requests.length);
        for (MessageLite request : requests) {
            CommandCodec.putCommand(entry, type, request.toByteArray());
        }
        List<Result> results = new ArrayList<>();
        applier.apply(entry.flip(), results::add);
        index++;
        commit();
        return results;
    }

    /** Applies one command as the log's replay does, and commits. */
    void replay(CommandType type, MessageLite request) {
        applier.apply(entry(type, request));
        index++;
        commit();
    }

    Result applyWithoutCommit(CommandType type, MessageLite request) {
        List<Result> results = new ArrayList<>();
        applier.apply(entry(type, request), results::add);
        index++;
        return results.getFirst();
    }

    private static ByteBuffer entry(CommandType type, MessageLite request) {
        byte[] body = request.toByteArray();
        ByteBuffer entry =
                ByteBuffer.allocate(CommandCodec.ENTRY_HEADER_BYTES + CommandCodec.COMMAND_HEADER_BYTES + body.length);
        CommandCodec.putEntryHeader(entry, 1);
        CommandCodec.putCommand(entry, type, body);
        return entry.flip();
    }

    void commit() {
        applier.commit(index, 1);
        applier.wakeWatches();
    }

    @Override
    public void close() throws IOException {
        store.close();
    }
}
