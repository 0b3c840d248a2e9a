/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import dev.nightjar.core.mvcc.LongRead;
import dev.nightjar.core.mvcc.MemoryBudget;
import dev.nightjar.core.mvcc.RangeCursor;
import dev.nightjar.core.mvcc.ReadView;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@link LongAnswer} that is being copied: part after part. One thread at a time, except for {@link #holdsCompaction}.
 *
 * <p>Each read is found anew when it is its turn, so that no more than one is open at any time. It comes to what was
 * measured, as the view keeps its revision.
 */
final class JoinedRead implements LongRead {
    private final ReadView view;
    private final List<Part> parts;
    private final long bytes;
    private final MemoryBudget budget;
    private int part;
    private int knownAt;
    private @Nullable RangeCursor cursor;

    /** One after the other. */
    sealed interface Part {
        long bytes();

        /** Bytes as they are. */
        record Known(byte[] content) implements Part {
            @Override
            public long bytes() {
                return content.length;
            }
        }

        /** Key-values that come to so many bytes. */
        record Read(DeferredRead read, long bytes) implements Part {}
    }

    /** @param view taken over */
    JoinedRead(ReadView view, List<Part> parts, long bytes, MemoryBudget budget) {
        this.view = view;
        this.parts = parts;
        this.bytes = bytes;
        this.budget = budget;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public boolean isDone() {
        return part == parts.size();
    }

    @Override
    public void copy(ByteBuffer target) {
        boolean whole = true;
        while (whole && !isDone()) {
            whole = switch (parts.get(part)) {
                case Part.Known known -> copy(known, target);
                case Part.Read read -> copy(read, target);
            };
            if (whole) {
                part++;
            }
        }
    }

    private boolean copy(Part.Known known, ByteBuffer target) {
        int count = Math.min(known.content.length - knownAt, target.remaining());
        target.put(known.content, knownAt, count);
        knownAt += count;
        if (knownAt < known.content.length) {
            return false;
        }
        knownAt = 0;
        return true;
    }

    private boolean copy(Part.Read part, ByteBuffer target) {
        if (target.remaining() < RangeCursor.MAX_HEAD_BYTES) {
            return false;
        }
        RangeCursor open = cursor;
        if (open == null) {
            DeferredRead read = part.read;
            open = view.cursor(read.query(), read.changed(), budget).withTag(read.tag());
            cursor = open;
            if (open.bytes() != part.bytes) {
                throw new IllegalStateException("a read of " + part.bytes + " bytes has become one of " + open.bytes());
            }
        }
        open.copy(target);
        if (!open.isDone()) {
            return false;
        }
        closeCursor();
        return true;
    }

    private void closeCursor() {
        RangeCursor open = cursor;
        cursor = null;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public boolean holdsCompaction() {
        return view.holdsCompaction();
    }

    @Override
    public void close() {
        closeCursor();
        view.close();
    }
}
