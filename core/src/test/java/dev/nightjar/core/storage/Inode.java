/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A file of a {@link HostileFileSystem}: what it holds, and what of that would survive a power loss. Under its lock. */
final class Inode {

    /** A change that has not been synced: bytes at an offset, or a new size if there are no bytes. */
    private record Pending(long offset, byte @Nullable [] bytes) {}

    private MemorySegment content = Arena.ofAuto().allocate(256);
    /** The offsets that take room on the disk; the others read as zeros. */
    private final BitSet written = new BitSet();

    private long size;
    private byte[] durable = {};
    private final List<Pending> pending = new ArrayList<>();

    void write(long offset, byte[] bytes) {
        resize(Math.max(size, offset + bytes.length));
        MemorySegment.copy(bytes, 0, content, ValueLayout.JAVA_BYTE, offset, bytes.length);
        written.set((int) offset, (int) offset + bytes.length);
        pending.add(new Pending(offset, bytes));
    }

    long size() {
        return size;
    }

    void setSize(long newSize) {
        if (newSize != size) {
            resize(newSize);
            pending.add(new Pending(newSize, null));
        }
    }

    void resize(long newSize) {
        if (newSize > content.byteSize()) {
            MemorySegment larger = Arena.ofAuto().allocate(Math.max(newSize, 2 * content.byteSize()));
            larger.copyFrom(content.asSlice(0, size));
            content = larger;
        }
        if (newSize < size) {
            content.asSlice(newSize, size - newSize).fill((byte) 0);
            written.clear((int) newSize, (int) size);
        }
        size = newSize;
    }

    /** The beginning of the file as it is, and will be: what has never been written must not be looked at. */
    MemorySegment view(long bytes) {
        if (written.nextClearBit(0) < bytes) {
            throw new AssertionError("a map of what has not been written");
        }
        return content.asSlice(0, bytes).asReadOnly();
    }

    byte[] bytes() {
        return content.asSlice(0, size).toArray(ValueLayout.JAVA_BYTE);
    }

    /** The same file on another disk, holes and all. */
    Inode copy() {
        Inode copy = new Inode();
        copy.resize(size);
        copy.content.copyFrom(content.asSlice(0, size));
        copy.written.or(written);
        copy.syncContent();
        return copy;
    }

    void syncContent() {
        durable = bytes();
        pending.clear();
    }

    void load(byte[] bytes) {
        write(0, bytes);
        syncContent();
    }

    Inode afterCrash(Random random) {
        Inode left = new Inode();
        left.load(durable);
        for (Pending change : pending) {
            int fate = random.nextInt(4);
            byte[] bytes = change.bytes;
            if (fate == 0) {
                continue;
            }
            if (bytes == null) {
                left.resize(change.offset);
            } else if (fate == 1) {
                int from = random.nextInt(bytes.length + 1);
                int to = from + random.nextInt(bytes.length - from + 1);
                left.write(change.offset + from, Arrays.copyOfRange(bytes, from, to));
            } else {
                left.write(change.offset, bytes);
            }
        }
        // What a disk brings back after a crash it can bring back again, so nothing of it is a hole.
        left.written.set(0, (int) left.size);
        left.syncContent();
        return left;
    }
}
