/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.StoredRecord;

/**
 * What a read asks for. Immutable; the arrays are not copied and not to be changed.
 *
 * @param key first key; not empty
 * @param end empty for {@code key} alone, a single zero byte for every key from {@code key} on, else the first key
 *     that is not wanted
 * @param revision the state to read; zero and below mean the newest readable one
 * @param limit most keys to return; zero and below mean all
 * @param keysOnly whether the answer is to be sent without values ({@link KvView#encodedLengthWithoutValue}); the store
 *     itself treats both alike
 * @param countOnly whether only the number of keys is wanted
 * @param filter bounds that a returned key has to meet; the count does not look at them
 * @param sort the order of the answer
 */
public record RangeQuery(
        byte[] key,
        byte[] end,
        long revision,
        long limit,
        boolean keysOnly,
        boolean countOnly,
        RevisionFilter filter,
        Sort sort) {

    private static final byte[] NO_END = {};

    /** The newest value of one key. */
    public static RangeQuery of(byte[] key) {
        return range(key, NO_END);
    }

    /** The newest state of a range, ascending by key. */
    public static RangeQuery range(byte[] key, byte[] end) {
        return new RangeQuery(key, end, 0, 0, false, false, RevisionFilter.NONE, Sort.BY_KEY);
    }

    public RangeQuery atRevision(long newRevision) {
        return new RangeQuery(key, end, newRevision, limit, keysOnly, countOnly, filter, sort);
    }

    public RangeQuery withLimit(long newLimit) {
        return new RangeQuery(key, end, revision, newLimit, keysOnly, countOnly, filter, sort);
    }

    public RangeQuery withCountOnly() {
        return new RangeQuery(key, end, revision, limit, keysOnly, true, filter, sort);
    }

    public RangeQuery withFilter(RevisionFilter newFilter) {
        return new RangeQuery(key, end, revision, limit, keysOnly, countOnly, newFilter, sort);
    }

    public RangeQuery withSort(SortTarget target, SortOrder order) {
        return new RangeQuery(key, end, revision, limit, keysOnly, countOnly, filter, new Sort(target, order));
    }

    /** The same range from another key on. */
    public RangeQuery from(byte[] newKey) {
        return new RangeQuery(newKey, end, revision, limit, keysOnly, countOnly, filter, sort);
    }

    /** Whether exactly one key is asked for. */
    public boolean isSingleKey() {
        return end.length == 0;
    }

    boolean isFiltered() {
        return !filter.equals(RevisionFilter.NONE);
    }

    /** Whether the answer is ascending by key, as the index is. */
    boolean isInKeyOrder() {
        return sort.target() == SortTarget.KEY && sort.order() != SortOrder.DESCEND;
    }

    /** Inclusive bounds on revisions; zero is no bound. */
    public record RevisionFilter(
            long minModRevision, long maxModRevision, long minCreateRevision, long maxCreateRevision) {

        public static final RevisionFilter NONE = new RevisionFilter(0, 0, 0, 0);

        boolean accepts(StoredRecord record) {
            return equals(NONE) || accepts(new KvView(record));
        }

        boolean accepts(KvView view) {
            long mod = view.modRevision();
            if ((maxModRevision != 0 && mod > maxModRevision) || (minModRevision != 0 && mod < minModRevision)) {
                return false;
            }
            if (minCreateRevision == 0 && maxCreateRevision == 0) {
                return true;
            }
            long create = view.createRevision();
            return (maxCreateRevision == 0 || create <= maxCreateRevision)
                    && (minCreateRevision == 0 || create >= minCreateRevision);
        }
    }

    /** Order of the answer: {@code NONE} counts as ascending. */
    public record Sort(SortTarget target, SortOrder order) {
        public static final Sort BY_KEY = new Sort(SortTarget.KEY, SortOrder.NONE);
    }

    /** What to sort by. */
    public enum SortTarget {
        KEY,
        VERSION,
        CREATE,
        MOD,
        VALUE
    }

    /** The direction of a sort. */
    public enum SortOrder {
        NONE,
        ASCEND,
        DESCEND
    }
}
