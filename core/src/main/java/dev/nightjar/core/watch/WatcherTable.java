/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The watchers of one stream by id; owned by its loop. Open addressing over the watchers themselves, which know their
 * ids: four bytes a slot and nothing boxed.
 */
final class WatcherTable {
    private static final int FIRST_CAPACITY = 4;

    private @Nullable Watcher[] slots = new Watcher[FIRST_CAPACITY];
    private int size;

    int size() {
        return size;
    }

    @Nullable
    Watcher get(long id) {
        int slot = home(id);
        for (Watcher watcher = slots[slot]; watcher != null; watcher = slots[slot]) {
            if (watcher.id == id) {
                return watcher;
            }
            slot = next(slot);
        }
        return null;
    }

    /** Enters a watcher whose id is not in use. */
    void add(Watcher watcher) {
        if ((size + 1) * 4L > slots.length * 3L) {
            resize(slots.length * 2);
        }
        put(watcher);
        size++;
    }

    /** Takes out a watcher that is in the table, and moves up those that its slot kept from theirs. */
    void remove(Watcher watcher) {
        int hole = home(watcher.id);
        while (slots[hole] != watcher) {
            if (slots[hole] == null) {
                throw new IllegalStateException("watcher " + watcher.id + " is not in the table");
            }
            hole = next(hole);
        }
        slots[hole] = null;
        size--;
        int slot = next(hole);
        for (Watcher moved = slots[slot]; moved != null; moved = slots[slot]) {
            slots[slot] = null;
            put(moved);
            slot = next(slot);
        }
        if (slots.length > FIRST_CAPACITY && size * 4 < slots.length) {
            resize(slots.length / 2);
        }
    }

    /** Shows all watchers, in no particular order; the table is not to be changed meanwhile. */
    void forEach(Consumer<Watcher> visitor) {
        for (Watcher watcher : slots) {
            if (watcher != null) {
                visitor.accept(watcher);
            }
        }
    }

    private void put(Watcher watcher) {
        int slot = home(watcher.id);
        while (slots[slot] != null) {
            slot = next(slot);
        }
        slots[slot] = watcher;
    }

    private void resize(int capacity) {
        @Nullable Watcher[] old = slots;
        slots = new Watcher[capacity];
        for (Watcher watcher : old) {
            if (watcher != null) {
                put(watcher);
            }
        }
    }

    private int home(long id) {
        long mixed = id * 0x9e37_79b9_7f4a_7c15L;
        return (int) (mixed >>> 32) & (slots.length - 1);
    }

    private int next(int slot) {
        return (slot + 1) & (slots.length - 1);
    }
}
