/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The image of the owner's memory beside the segments: with it a start reads the end of the log only. Maintenance thread,
 * after recovery.
 *
 * <p>An image is a help, no more: if it is missing or damaged, the whole log is read.
 */
final class Images {

    static final String NAME = "index";

    /**
     * An image is written again when the log has grown by this part of a segment and by this part of the last image: what
     * is behind it is read at the next start by a machine that has not been compiled yet, some 5 µs a record.
     */
    private static final int SEGMENT_DIVISOR = 2;

    private static final int IMAGE_DIVISOR = 8;

    private static final Logger LOG = LoggerFactory.getLogger(Images.class);

    private final FileSystem files;
    private final Path directory;
    /** Position of the newest image, 0 if there is none. */
    private volatile long position;

    private volatile long sizeBytes;
    private volatile long cleanRevision = Long.MAX_VALUE;

    Images(FileSystem files, Path directory) {
        this.files = files;
        this.directory = directory;
    }

    /** The image of a log, null if there is none that can be used. */
    static @Nullable ImageReader open(FileSystem files, Path directory) throws IOException {
        Path path = directory.resolve(NAME);
        if (!files.exists(path)) {
            return null;
        }
        try {
            return ImageReader.open(files, path);
        } catch (CorruptStoreException e) {
            LOG.warn("the index image cannot be used, so the whole log is read: {}", e.getMessage());
            return null;
        }
    }

    /** An image that belongs to a log, null if there is none: its position has to be in the log. */
    static @Nullable ImageReader fitting(@Nullable ImageReader image, Recovery.Result recovered) throws IOException {
        if (image == null) {
            return null;
        }
        if (fits(image.head(), new SegmentTable(recovered.segments(), List.of()))) {
            return image;
        }
        image.close();
        LOG.warn("the index image is not of this log, so the whole log is read");
        return null;
    }

    /**
     * Whether an image is of this log, and of no copy of it that has grown apart. If the file that its position lies in has
     * been packed since, the bytes that would tell the latter are gone.
     */
    static boolean fits(ImageHead head, SegmentTable table) {
        Segment holder = table.get(table.indexOfSequence(head.sequence()));
        SegmentHeader header = holder.header();
        boolean contains = header.firstSequence() <= head.sequence() && head.sequence() <= header.lastSequence();
        boolean reaches = header.isPacked()
                || (head.offset() <= holder.end() && head.checksum() == holder.checksumBefore(head.offset()));
        return header.storeId() == head.storeId() && contains && reaches;
    }

    /** Notes the image that the log was opened with. */
    void opened(ImageReader image) {
        noted(image.head(), image.sizeBytes());
    }

    private void noted(ImageHead head, long bytes) {
        position = head.position();
        cleanRevision = head.forgottenRevision();
        sizeBytes = bytes;
    }

    /** The owner could not use it. */
    void rejected(CorruptStoreException cause) {
        LOG.warn("the index image cannot be used, so the whole log is read: {}", cause.getMessage());
        position = 0;
        cleanRevision = Long.MAX_VALUE;
        sizeBytes = 0;
    }

    /**
     * Up to this revision the image holds nothing that a later change has superseded: a tombstone above it is still needed,
     * to take away at the next start what the image brings.
     */
    long cleanRevision() {
        return cleanRevision;
    }

    /** From how many bytes behind the last image on another one is worth its cost. */
    long worthBytes(long segmentBytes) {
        return Math.max(segmentBytes / SEGMENT_DIVISOR, sizeBytes / IMAGE_DIVISOR);
    }

    /** Bytes of the log behind the last image. */
    long bytesBehind(SegmentTable table) {
        long behind = 0;
        for (int i = table.count() - 1; i >= 0; i--) {
            Segment segment = table.get(i);
            SegmentHeader header = segment.header();
            if (header.firstSequence() <= Place.sequence(position)) {
                boolean holdsPosition = header.lastSequence() >= Place.sequence(position);
                return behind + (holdsPosition ? Math.max(0, segment.end() - Place.offset(position)) : 0);
            }
            behind += segment.end() - SegmentHeader.BYTES;
        }
        return behind;
    }

    /** What the segments up to a position count, the last of which has so many bytes of rows before it. */
    static Map<Integer, ImageHead.Account> accounts(SegmentTable table, long position, long rowBytes) {
        Map<Integer, ImageHead.Account> accounts = new HashMap<>();
        int last = table.indexOfSequence(Place.sequence(position));
        for (int i = 0; i <= last; i++) {
            Segment segment = table.get(i);
            ImageHead.Account now = segment.account();
            accounts.put(
                    segment.header().fileId(),
                    i < last ? now : new ImageHead.Account(rowBytes, now.releasedPuts(), now.releasedTombstones()));
        }
        return accounts;
    }

    ImageWriter begin(SegmentLog log, ImageHead head) throws IOException {
        return new ImageWriter(log, this, directory.resolve(NAME + Recovery.TEMPORARY), head);
    }

    /** A complete, durable file becomes the image. */
    void install(Path complete, ImageHead head, long bytes) throws IOException {
        files.rename(complete, directory.resolve(NAME));
        files.syncDirectory(directory);
        noted(head, bytes);
    }

    /** Gives a checkpoint the image, if there is one: it is never changed, only replaced. */
    void link(Path target) throws IOException {
        Path path = directory.resolve(NAME);
        if (files.exists(path)) {
            files.link(target.resolve(NAME), path);
        }
    }
}
