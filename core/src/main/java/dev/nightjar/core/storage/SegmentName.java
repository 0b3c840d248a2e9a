/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The name of a segment file, {@code 0000002a-00000000001f4a21-00.seg}: sequence, first main revision, generation, all
 * hexadecimal. Names sort like the log.
 */
record SegmentName(int sequence, long firstRevision, int generation) implements Comparable<SegmentName> {

    private static final String SUFFIX = ".seg";
    private static final int LENGTH = 8 + 1 + 16 + 1 + 2 + SUFFIX.length();

    static SegmentName of(SegmentHeader header) {
        return new SegmentName(header.sequence(), header.firstRevision(), header.generation());
    }

    /** Null if the name is not that of a segment. */
    static @Nullable SegmentName parse(String name) {
        if (name.length() != LENGTH || !name.endsWith(SUFFIX) || name.charAt(8) != '-' || name.charAt(25) != '-') {
            return null;
        }
        try {
            return new SegmentName(
                    HexFormat.fromHexDigits(name, 0, 8),
                    HexFormat.fromHexDigitsToLong(name, 9, 25),
                    HexFormat.fromHexDigits(name, 26, 28));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    @Override
    public String toString() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(sequence)
                + '-'
                + hex.toHexDigits(firstRevision)
                + '-'
                + hex.toHexDigits((byte) generation)
                + SUFFIX;
    }

    @Override
    public int compareTo(SegmentName other) {
        return Integer.compare(sequence, other.sequence);
    }
}
