/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where records live, in order of revision, written a frame at a time. A failed write stops the store: every later call
 * throws {@link StoreFailedException}.
 */
public interface RecordStore extends AutoCloseable {

    // ---- any thread

    /** The records that are readable now; they stay readable through the snapshot whatever happens to the store. */
    Snapshot snapshot();

    /** What the newest frame says. */
    FrameInfo last();

    /** Bytes of all records and what surrounds them. */
    long sizeBytes();

    /**
     * Makes durable what has been appended.
     *
     * @return the applied index of the newest durable frame
     */
    long sync() throws IOException;

    // ---- maintenance: one thread at a time

    /**
     * Notes that nobody can reach a record any more.
     *
     * @return its length in bytes; 0 if its file is gone
     */
    long release(long place);

    /**
     * Does one bounded piece of the work of giving back the space of released records.
     *
     * @return whether to go on
     * @throws IOException if new files cannot be written; nothing is lost, and the work may be tried again
     */
    boolean packStep(Owner owner) throws IOException;

    /** Whether the log has grown so much since the last image that another one is worth its cost. */
    boolean isImageDue();

    /** Bytes of the log that a start has to read because no image has them. */
    long bytesBehindImage();

    /** Brings packing to a point at which every record has one place. */
    void settle(Owner owner) throws IOException;

    /** Whether {@link #packStep} has begun something: then is no time at which an image could begin. */
    boolean isPacking();

    /**
     * Begins an image of the owner's memory as it is now or will be in a moment; one at a time, and not while packing.
     *
     * @param forgottenRevision see {@link Owner#forgottenRevision}
     */
    ImageWriter beginImage(long forgottenRevision) throws IOException;

    /**
     * Puts a durable copy of everything up to some point behind the last {@link #cut} into an existing empty directory of
     * the same file system.
     */
    void checkpoint(Path directory) throws IOException;

    // ---- before the first begin

    /** What the owner has saved of its memory; null if there is nothing. The caller closes it. */
    @Nullable
    ImageReader image();

    /** The image turned out to be damaged; the log is shown from the first record on. */
    void rejectImage(CorruptStoreException cause);

    /** Shows every record; if there is an image, only what the owner cannot know from it. */
    void replay(Replay visitor);

    /** Bytes of the changes that have not been released. */
    long changeBytesInUse();

    // ---- apply thread

    /** Begins a frame; the one begun before, if it was not appended, is forgotten. */
    Frame begin();

    /** Writes the frame begun last, as one unit. */
    void append(Frame frame, FrameInfo info);

    /**
     * Begins a new file, so that everything written so far can be part of a {@link #checkpoint}, and can be packed once the
     * background has synced it. Between two frames.
     */
    void cut();

    @Override
    void close() throws IOException;

    /** Finds records by place. */
    @FunctionalInterface
    interface Places {
        /** The record, null if its file is gone: then it has another place, if it is still needed. */
        @Nullable
        StoredRecord read(long place);

        /**
         * Looks up the lengths of many records that were just found in the index, without making an object of each.
         *
         * @param count how many places; {@code lengths} has as much room
         * @param withoutValues whether {@link StoredRecord#prefixLength} is wanted, not {@link StoredRecord#bodyLength}
         * @throws IllegalStateException if the file of one is gone
         */
        default void lengths(long[] places, int count, boolean withoutValues, int[] lengths) {
            for (int i = 0; i < count; i++) {
                StoredRecord record = read(places[i]);
                if (record == null) {
                    throw Place.gone(places[i]);
                }
                lengths[i] = withoutValues ? record.prefixLength() : record.bodyLength();
            }
        }
    }

    /** Records as they were at one moment. */
    interface Snapshot extends Places {
        /**
         * Shows the changes with {@code from <= revision <= to}, in order.
         *
         * @return the revision at which the visitor stopped by returning false, {@code to + 1} if it saw all
         */
        long scan(long from, long to, Predicate<StoredRecord> visitor);

        /** The changes with {@code from <= revision <= to}, in order, for one thread that may pause anywhere. */
        Cursor cursor(long from, long to);
    }

    /** A walk over changes. One thread. */
    @FunctionalInterface
    interface Cursor {
        /** The next change, null at the end. */
        @Nullable
        StoredRecord next();
    }

    /** Sees records with their places. */
    @FunctionalInterface
    interface Replay {
        void record(long place, StoredRecord record);

        /**
         * A change that an image may know has moved.
         *
         * @return whether the owner has taken note; false if the change is not needed any more
         */
        default boolean moved(long place, StoredRecord change) {
            throw new IllegalStateException("no image was asked for");
        }
    }

    /** Knows which changes are needed and where they are. */
    interface Owner {
        /**
         * All that a change at or below this revision has superseded is unreachable, and so is every tombstone below
         * it.
         */
        long forgottenRevision();

        /** Whether files are worth packing for little gain. */
        boolean isThorough();

        /** Whether somebody can still reach a change. */
        boolean isReachable(long place, StoredRecord change);

        /**
         * A change has been copied.
         *
         * @return whether the owner has taken note; false if the change is not needed any more
         */
        boolean moved(long oldPlace, long newPlace, StoredRecord change);
    }
}
