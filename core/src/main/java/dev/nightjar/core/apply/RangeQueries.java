/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.core.mvcc.RangeQuery;

/** Requests of the API as queries of the store. Stateless. */
public final class RangeQueries {
    private RangeQueries() {}

    /** The query of a checked request. */
    public static RangeQuery of(RangeRequest request) {
        return new RangeQuery(
                request.getKey().toByteArray(),
                request.getRangeEnd().toByteArray(),
                request.getRevision(),
                request.getLimit(),
                request.getKeysOnly(),
                request.getCountOnly(),
                filter(request),
                new RangeQuery.Sort(target(request), order(request)));
    }

    private static RangeQuery.RevisionFilter filter(RangeRequest request) {
        var filter = new RangeQuery.RevisionFilter(
                request.getMinModRevision(),
                request.getMaxModRevision(),
                request.getMinCreateRevision(),
                request.getMaxCreateRevision());
        return filter.equals(RangeQuery.RevisionFilter.NONE) ? RangeQuery.RevisionFilter.NONE : filter;
    }

    /** All keys of a range as it stands. */
    static RangeQuery all(ByteString key, ByteString end) {
        return RangeQuery.range(key.toByteArray(), end.toByteArray());
    }

    private static RangeQuery.SortTarget target(RangeRequest request) {
        return switch (request.getSortTarget()) {
            case KEY, UNRECOGNIZED -> RangeQuery.SortTarget.KEY;
            case VERSION -> RangeQuery.SortTarget.VERSION;
            case CREATE -> RangeQuery.SortTarget.CREATE;
            case MOD -> RangeQuery.SortTarget.MOD;
            case VALUE -> RangeQuery.SortTarget.VALUE;
        };
    }

    private static RangeQuery.SortOrder order(RangeRequest request) {
        return switch (request.getSortOrder()) {
            case NONE, UNRECOGNIZED -> RangeQuery.SortOrder.NONE;
            case ASCEND -> RangeQuery.SortOrder.ASCEND;
            case DESCEND -> RangeQuery.SortOrder.DESCEND;
        };
    }
}
