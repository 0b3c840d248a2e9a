/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.util.ArrayList;
import java.util.List;

/** Keys that are too long for an index page, by number. Guarded by the index's lock. */
final class LongKeys {

    private static final byte[] NONE = {};

    private final List<byte[]> keys = new ArrayList<>();
    private final List<Integer> free = new ArrayList<>();

    int add(byte[] key) {
        if (free.isEmpty()) {
            keys.add(key);
            return keys.size() - 1;
        }
        int number = free.removeLast();
        keys.set(number, key);
        return number;
    }

    byte[] get(int number) {
        return keys.get(number);
    }

    void remove(int number) {
        keys.set(number, NONE);
        free.add(number);
    }

    int count() {
        return keys.size() - free.size();
    }
}
