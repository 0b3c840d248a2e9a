/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.PutResponse;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.ResponseHeader;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.api.mvccpb.KeyValue;
import dev.nightjar.core.apply.DeferredRead.Written;
import dev.nightjar.core.mvcc.DeleteResult;
import dev.nightjar.core.mvcc.KvView;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.RangeResult;
import dev.nightjar.core.mvcc.ReadView;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes the answers inside a transaction's answer: copies what is little, and notes the rest as {@link DeferredRead}s, so that
 * neither time nor memory depend on how much is read. One transaction; the thread that carries it out.
 */
final class TxnReplies {
    /** Keys that are read at once, at a microsecond each. */
    static final int FEW_KEYS = 64;

    private final KvReader reader;
    private final AnswerShare share;
    private final long baseRevision;
    private final List<Written> written = new ArrayList<>();
    private final List<DeferredRead> deferred = new ArrayList<>();
    private long lowestRevision;
    private int operations;

    /** @param baseRevision where the store was before the transaction */
    TxnReplies(KvReader reader, AnswerShare share, long baseRevision) {
        this.reader = reader;
        this.share = share;
        this.baseRevision = baseRevision;
        this.lowestRevision = baseRevision;
    }

    /** Headers inside a transaction carry the revision only. */
    static ResponseHeader header(long revision) {
        return ResponseHeader.newBuilder().setRevision(revision).build();
    }

    /** The next operation begins. */
    void nextOperation() {
        operations++;
    }

    /** A key was put, or a range deleted; told after the answer to that. */
    void wrote(byte[] key, byte[] end) {
        written.add(new Written(key, end));
    }

    RangeResponse range(RangeRequest request, long revision) {
        RangeResponse.Builder response = RangeResponse.newBuilder().setHeader(header(revision));
        if (share.isWanted()) {
            RangeQuery query = RangeQueries.of(request);
            RangeResult result = readFew(query);
            if (result == null) {
                defer(query, DeferredRead.TAG_RANGE_KV, true);
            } else {
                response.setCount(result.count()).setMore(result.more());
                result.kvs().forEach(kv -> response.addKvs(keyValue(kv, request.getKeysOnly())));
            }
        }
        return response.build();
    }

    /** Null if it is more than little. */
    private @Nullable RangeResult readFew(RangeQuery query) {
        if (!query.isSingleKey()) {
            if (query.revision() > 0) {
                return null; // even to count there may take a walk
            }
            RangeResult counted = reader.range(query.withCountOnly());
            if (query.countOnly()) {
                return counted;
            }
            if (counted.count() > FEW_KEYS) {
                return null;
            }
        }
        RangeResult result = reader.range(query);
        return share.take(result.kvs(), query.keysOnly()) ? result : null;
    }

    void previous(PutResponse.Builder response, byte[] key, KvView previous) {
        if (share.take(previous)) {
            response.setPrevKv(keyValue(previous, false));
        } else if (share.isWanted()) {
            defer(RangeQuery.of(key), DeferredRead.TAG_PUT_PREVIOUS, false);
        }
    }

    void previous(DeleteRangeResponse.Builder response, RangeQuery query, DeleteResult deleted) {
        if (share.take(deleted)) {
            deleted.forEach(gone -> response.addPrevKvs(keyValue(gone.previous(), false)));
        } else if (share.isWanted()) {
            defer(query, DeferredRead.TAG_DELETE_PREVIOUS, false);
        }
    }

    private void defer(RangeQuery query, byte tag, boolean totals) {
        boolean old = query.revision() > 0;
        RangeQuery fixed = old ? query : query.atRevision(baseRevision);
        lowestRevision = Math.min(lowestRevision, fixed.revision());
        deferred.add(new DeferredRead(operations - 1, fixed, written, old ? 0 : written.size(), tag, totals));
    }

    /**
     * The whole answer.
     *
     * @param views makes a view from a revision on, for what is still to be read
     */
    Result result(LongFunction<ReadView> views, long revision, TxnResponse response) {
        if (!share.isWanted()) {
            return new Result.Unanswered(revision);
        }
        return deferred.isEmpty()
                ? new Result.Txn(revision, response, share.bytes())
                : new Result.Deferred(
                        revision, new LongAnswer(views.apply(lowestRevision), response, deferred), share.bytes());
    }

    private static KeyValue keyValue(KvView kv, boolean keyOnly) {
        try {
            KeyValue keyValue = KeyValue.parseFrom(kv.encoded());
            return keyOnly ? keyValue.toBuilder().clearValue().build() : keyValue;
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the store holds a key-value that cannot be read", e);
        }
    }
}
