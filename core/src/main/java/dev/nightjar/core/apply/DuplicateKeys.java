/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds keys that a transaction would change twice at one revision.
 *
 * <p>Of one branch, no key may be put twice, nor put and deleted, in whichever order and at whichever depth. The two
 * branches of one nested transaction exclude each other, so they may put the same key. Deletes may overlap. Reads never
 * clash.
 *
 * <p>etcd lets one form pass, a put in a nested transaction and a delete of the key in a later sibling; it would give two
 * events of one key at one revision, so it is refused here like its mirror image.
 */
final class DuplicateKeys {
    private static final Comparator<ByteString> ORDER = ByteString.unsignedLexicographicalComparator();

    private DuplicateKeys() {}

    static @Nullable ApiError check(TxnRequest request) {
        return collect(request.getSuccessList()) == null || collect(request.getFailureList()) == null
                ? ApiError.DUPLICATE_KEY
                : null;
    }

    /** The keys that a list of operations puts and the ranges that it deletes. */
    private record Changes(NavigableSet<ByteString> puts, List<DeleteRangeRequest> deletes) {
        Changes() {
            this(new TreeSet<>(ORDER), new ArrayList<>());
        }

        boolean deletesOneOf(NavigableSet<ByteString> keys) {
            return deletes.stream().anyMatch(range -> touches(range, keys));
        }

        boolean putsOneOf(NavigableSet<ByteString> keys) {
            return keys.stream().anyMatch(puts::contains);
        }

        boolean clashes(Changes later) {
            return putsOneOf(later.puts) || deletesOneOf(later.puts) || later.deletesOneOf(puts);
        }

        void add(Changes other) {
            puts.addAll(other.puts);
            deletes.addAll(other.deletes);
        }
    }

    /** What a branch changes, or null if it changes a key twice. */
    private static @Nullable Changes collect(List<RequestOp> ops) {
        Changes all = new Changes();
        for (RequestOp op : ops) {
            Changes one = new Changes();
            if (op.hasRequestPut()) {
                one.puts.add(op.getRequestPut().getKey());
            } else if (op.hasRequestDeleteRange()) {
                one.deletes.add(op.getRequestDeleteRange());
            } else if (op.hasRequestTxn()) {
                Changes success = collect(op.getRequestTxn().getSuccessList());
                Changes failure = collect(op.getRequestTxn().getFailureList());
                if (success == null || failure == null) {
                    return null;
                }
                one.add(success);
                one.add(failure);
            }
            if (all.clashes(one)) {
                return null;
            }
            all.add(one);
        }
        return all;
    }

    private static boolean touches(DeleteRangeRequest range, NavigableSet<ByteString> keys) {
        ByteString end = range.getRangeEnd();
        if (end.isEmpty()) {
            return keys.contains(range.getKey());
        }
        ByteString first = keys.ceiling(range.getKey());
        boolean toTheEnd = end.size() == 1 && end.byteAt(0) == 0;
        return first != null && (toTheEnd || ORDER.compare(first, end) < 0);
    }
}
