/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The name of a segment file, {@code 0000002a-00000000001f4a21-0000002b.seg}: first sequence, first main revision, file
 * id, all hexadecimal; {@code .pack} if the file is the packed form of one or more segments. Names sort like the log.
 */
record SegmentName(int firstSequence, long firstRevision, int fileId, boolean packed)
        implements Comparable<SegmentName> {

    private static final String GROWING = ".seg";
    private static final String PACKED = ".pack";
    private static final int STEM = 8 + 1 + 16 + 1 + 8;

    static SegmentName of(SegmentHeader header) {
        return new SegmentName(header.firstSequence(), header.firstRevision(), header.fileId(), header.isPacked());
    }

    /** Null if the name is not that of a segment. */
    static @Nullable SegmentName parse(String name) {
        boolean packed = name.endsWith(PACKED);
        int stem = name.length() - (packed ? PACKED : GROWING).length();
        if (stem != STEM || !(packed || name.endsWith(GROWING)) || name.charAt(8) != '-' || name.charAt(25) != '-') {
            return null;
        }
        try {
            return new SegmentName(
                    HexFormat.fromHexDigits(name, 0, 8),
                    HexFormat.fromHexDigitsToLong(name, 9, 25),
                    HexFormat.fromHexDigits(name, 26, STEM),
                    packed);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    @Override
    public String toString() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(firstSequence)
                + '-'
                + hex.toHexDigits(firstRevision)
                + '-'
                + hex.toHexDigits(fileId)
                + (packed ? PACKED : GROWING);
    }

    /** Of several files for the same sequence the newest comes first: it is the packed form of the others. */
    @Override
    public int compareTo(SegmentName other) {
        return firstSequence == other.firstSequence
                ? Integer.compare(other.fileId, fileId)
                : Integer.compare(firstSequence, other.firstSequence);
    }

    // Written out, as every start asks for it once: what a record has by itself is then made first.

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SegmentName name
                && name.firstSequence == firstSequence
                && name.firstRevision == firstRevision
                && name.fileId == fileId
                && name.packed == packed;
    }

    @Override
    public int hashCode() {
        return fileId;
    }
}
