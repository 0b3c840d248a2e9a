/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.AlarmType;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.Member;
import dev.nightjar.api.etcdserverpb.PutResponse;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.core.cluster.AlarmRegistry;
import dev.nightjar.core.cluster.MemberRegistry;
import dev.nightjar.core.mvcc.DeleteResult;
import dev.nightjar.core.mvcc.FutureRevisionException;
import dev.nightjar.core.mvcc.KvView;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.RevisionCompactedException;
import dev.nightjar.core.mvcc.WriteTxn;
import dev.nightjar.core.watch.WatchableStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Carries out what the log delivers. Owned by the apply thread: the only place where keys, members and alarms change.
 *
 * <p>A batch is any number of {@link #apply} calls and one {@link #commit}. The order inside commit is what every
 * promise to clients rests on: the batch is written to the store as one frame; its changes enter the ring that watchers
 * read; then the published revision moves, so that whoever sees revision N in a header can read all writes up to N and
 * will be told of them. Then the writers get their answers, and last the loops with watchers are woken.
 *
 * <p>Next on a write's way: {@link MvccStore}, through {@link WriteTxn}; of its events: {@link WatchableStore}.
 */
public final class Applier {
    private final MvccStore store;
    private final WatchableStore watches;
    private final MemberRegistry members;
    private final AlarmRegistry alarms;
    private final OperationCounts counts = new OperationCounts();
    private final EntryGrowth growth;
    private final AnswerBudget answers;

    /** The greatest revision that the batch under way compacts, -1 if it compacts nothing. */
    private long compactingRevision = -1;

    public Applier(
            MvccStore store,
            WatchableStore watches,
            MemberRegistry members,
            AlarmRegistry alarms,
            AnswerBudget answers) {
        this(store, watches, members, alarms, answers, EntryGrowth.LIMIT);
    }

    /** @param growthLimit see {@link EntryGrowth} */
    Applier(
            MvccStore store,
            WatchableStore watches,
            MemberRegistry members,
            AlarmRegistry alarms,
            AnswerBudget answers,
            long growthLimit) {
        this.answers = answers;
        this.store = store;
        this.watches = watches;
        this.members = members;
        this.alarms = alarms;
        this.growth = new EntryGrowth(growthLimit);
    }

    /**
     * Carries out the commands of one log entry.
     *
     * @param results is given one result for each command, in order; who takes it gives back what it holds
     * @throws IllegalStateException if the entry is not one that this version can have written
     */
    public void apply(ByteBuffer entry, Consumer<Result> results) {
        apply(entry, () -> new AnswerShare(answers), results);
    }

    /** Carries out the commands of one log entry whose results nobody waits for. */
    public void apply(ByteBuffer entry) {
        apply(entry, AnswerShare::unwanted, Result::drop);
    }

    private void apply(ByteBuffer entry, Supplier<AnswerShare> shares, Consumer<Result> results) {
        int count = CommandCodec.takeEntryHeader(entry);
        growth.beginEntry();
        for (int i = 0; i < count; i++) {
            CommandType type = CommandCodec.takeType(entry);
            byte[] body = CommandCodec.takeBody(entry);
            try {
                results.accept(execute(type, body, shares.get()));
            } catch (IOException e) {
                throw new IllegalStateException("the log holds a " + type + " command that cannot be read", e);
            }
        }
    }

    /** Ends the batch: everything applied so far becomes readable, and watchable with the next {@link #wakeWatches}. */
    public void commit(long appliedIndex, long appliedTerm) {
        watches.append(store.commit(appliedIndex, appliedTerm));
        if (compactingRevision >= 0) {
            watches.compacting(compactingRevision);
            compactingRevision = -1;
        }
        store.publish();
    }

    /**
     * Has the loops look at what was committed. After the results are on their way, as whoever wrote waits for one answer
     * while its watchers may be many.
     */
    public void wakeWatches() {
        watches.wake();
    }

    /** What the results hold. */
    public AnswerBudget answers() {
        return answers;
    }

    /** What was done so far. */
    public OperationCounts counts() {
        return counts;
    }

    private Result execute(CommandType type, byte[] body, AnswerShare share) throws IOException {
        if (alarms.isRaised(AlarmType.CORRUPT) && changesKeys(type)) {
            return new Result.Failed(ApiError.CORRUPT);
        }
        return switch (type) {
            case PUT -> put(PutCommand.parse(body), share);
            case DELETE_RANGE -> delete(DeleteRangeRequest.parseFrom(body), share);
            case TXN -> txn(TxnCodec.parse(body), share);
            case COMPACTION -> compact(CompactionRequest.parseFrom(body));
            case MEMBER_SET -> setMember(body);
            case ALARM -> new Result.Alarms(store.currentRevision(), alarms.apply(AlarmRequest.parseFrom(body)));
        };
    }

    /** What must not happen while members may differ; members and alarms can still be put right. */
    private static boolean changesKeys(CommandType type) {
        return switch (type) {
            case PUT, DELETE_RANGE, TXN, COMPACTION -> true;
            case MEMBER_SET, ALARM -> false;
        };
    }

    private Result put(PutCommand put, AnswerShare share) {
        if (alarms.isRaised(AlarmType.NOSPACE)) {
            return new Result.Failed(ApiError.NO_SPACE);
        }
        if (put.lease() != 0) {
            return new Result.Failed(ApiError.LEASE_NOT_FOUND);
        }
        WriteTxn txn = store.begin();
        try {
            ByteBuffer value = put.value();
            long lease = put.lease();
            if (put.ignoreValue() || put.ignoreLease()) {
                KvView current = txn.get(put.key());
                if (current == null) {
                    return new Result.Failed(ApiError.KEY_NOT_FOUND);
                }
                if (put.ignoreValue() && !growth.take(current.valueLength())) {
                    return new Result.Failed(ApiError.REQUEST_TOO_LARGE);
                }
                value = put.ignoreValue() ? current.value() : value;
                lease = put.ignoreLease() ? current.lease() : lease;
            }
            txn.put(put.key(), value, lease);
            counts.put(put.key().length + (long) value.remaining());
            return put.previous() ? putResult(txn, put.key(), share) : new Result.Put(txn.revision(), null);
        } finally {
            txn.end();
        }
    }

    private Result putResult(WriteTxn txn, byte[] key, AnswerShare share) {
        KvView previous = txn.previous();
        if (previous == null) {
            return new Result.Put(txn.revision(), null);
        }
        return share.take(previous)
                ? new Result.Put(txn.revision(), bytes(previous), share.bytes())
                : deferred(
                        txn,
                        PutResponse.getDefaultInstance(),
                        DeferredRead.only(
                                RangeQuery.of(key).atRevision(txn.baseRevision()), DeferredRead.TAG_PUT_PREVIOUS),
                        share);
    }

    private Result deferred(WriteTxn txn, MessageLite skeleton, DeferredRead read, AnswerShare share) {
        return share.isWanted()
                ? new Result.Deferred(
                        txn.revision(), new LongAnswer(store.view(txn.baseRevision()), skeleton, List.of(read)), 0)
                : new Result.Unanswered(txn.revision());
    }

    private Result delete(DeleteRangeRequest request, AnswerShare share) {
        WriteTxn txn = store.begin();
        try {
            byte[] key = request.getKey().toByteArray();
            byte[] end = request.getRangeEnd().toByteArray();
            if (!growth.take(txn.deleteBytes(key, end, growth.left()))) {
                return new Result.Failed(ApiError.REQUEST_TOO_LARGE);
            }
            DeleteResult deleted = txn.delete(key, end);
            counts.delete();
            List<byte[]> previous = new ArrayList<>();
            if (request.getPrevKv()) {
                if (!share.take(deleted)) {
                    return deferred(
                            txn,
                            DeleteRangeResponse.newBuilder()
                                    .setDeleted(deleted.count())
                                    .build(),
                            DeferredRead.only(
                                    RangeQuery.range(key, end).atRevision(txn.baseRevision()),
                                    DeferredRead.TAG_DELETE_PREVIOUS),
                            share);
                }
                deleted.forEach(gone -> previous.add(bytes(gone.previous())));
            }
            return new Result.Deleted(txn.revision(), deleted.count(), previous, share.bytes());
        } finally {
            txn.end();
        }
    }

    private Result txn(TxnRequest request, AnswerShare share) {
        if (alarms.isRaised(AlarmType.NOSPACE) && RequestChecks.cost(request) > 0) {
            return new Result.Failed(ApiError.NO_SPACE);
        }
        return TxnExecutor.execute(store, request, counts, growth, share);
    }

    private Result compact(CompactionRequest request) {
        try {
            store.compact(request.getRevision());
            compactingRevision = request.getRevision();
            return new Result.Compacted(store.currentRevision());
        } catch (RevisionCompactedException e) {
            return new Result.Failed(ApiError.COMPACTED);
        } catch (FutureRevisionException e) {
            return new Result.Failed(ApiError.FUTURE_REVISION);
        }
    }

    private Result setMember(byte[] body) throws InvalidProtocolBufferException {
        members.set(Member.parseFrom(body));
        return new Result.MemberStored(store.currentRevision());
    }

    private static byte[] bytes(KvView view) {
        byte[] encoded = new byte[view.encodedLength()];
        view.copyEncoded(encoded, 0, encoded.length);
        return encoded;
    }
}
