/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest;

/**
 * The keys that a request speaks of; a value. An empty end means one key, an end of one zero byte every key from {@code key}
 * on.
 */
public record KeyRange(ByteString key, ByteString end) {
    private static final ByteString ZERO = ByteString.copyFrom(new byte[] {0});

    static KeyRange of(WatchCreateRequest watch) {
        ByteString key = watch.getKey().isEmpty() ? ZERO : watch.getKey();
        return new KeyRange(key, watch.getRangeEnd());
    }

    public boolean contains(ByteString candidate) {
        if (end.isEmpty()) {
            return candidate.equals(key);
        }
        return compare(candidate, key) >= 0 && (end.equals(ZERO) || compare(candidate, end) < 0);
    }

    private static int compare(ByteString a, ByteString b) {
        return ByteString.unsignedLexicographicalComparator().compare(a, b);
    }
}
