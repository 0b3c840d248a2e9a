/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import dev.nightjar.consensus.LogCorruptException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads records of known places, and reads ahead for those who go through the log in order: replay at the start, and
 * followers that are behind. Any thread, without locks.
 *
 * <p>The last few pieces of segments that were read are kept. A record that lies in one of them costs no read. A record that
 * follows the last one of a kept piece starts a large piece in its place; any other record starts a small one, so that
 * reading here and there stays cheap. A piece holds only bytes of records that were complete when it was read, and is not
 * used any more once the suffix of its segment was cut.
 */
final class ReadAhead {
    /** One for the replay or a few followers. */
    private static final int PIECES = 4;

    private static final int SMALL_BYTES = 4096;
    private static final int LARGE_BYTES = 256 << 10;

    private final AtomicReferenceArray<@Nullable Piece> pieces = new AtomicReferenceArray<>(PIECES);
    private final AtomicInteger nextVictim = new AtomicInteger();

    /**
     * Bytes of a segment.
     *
     * @param cuts {@link Segment#cuts} before the bytes were read
     * @param start their offset in the file
     */
    private record Piece(Segment segment, int cuts, long start, ByteBuffer bytes) {
        long end() {
            return start + bytes.limit();
        }
    }

    /** Reads the record at {@code offset} of a segment, which must hold it. */
    LogRecord read(Segment segment, long offset, long index, Supplier<String> name) throws IOException {
        int victim = -1;
        for (int i = 0; i < PIECES; i++) {
            Piece piece = pieces.get(i);
            if (piece == null || piece.segment != segment || piece.cuts != segment.cuts()) {
                continue;
            }
            if (holds(piece, offset)) {
                return decode(piece, offset, index, name);
            }
            // The record after the last one of the piece, or the one that did not fit in.
            if (offset > piece.start && offset <= piece.end()) {
                victim = i;
            }
        }
        boolean sequential = victim >= 0;
        if (!sequential) {
            victim = Math.floorMod(nextVictim.getAndIncrement(), PIECES);
        }
        Piece piece = load(segment, offset, sequential ? LARGE_BYTES : SMALL_BYTES, index, name);
        pieces.set(victim, piece);
        return decode(piece, offset, index, name);
    }

    /** Whether the whole record is in the piece. */
    private static boolean holds(Piece piece, long offset) {
        if (offset < piece.start || offset + RecordFormat.HEADER_BYTES > piece.end()) {
            return false;
        }
        int length = piece.bytes.getInt((int) (offset - piece.start));
        return RecordFormat.isPossibleLength(length) && offset + RecordFormat.PREFIX_BYTES + length <= piece.end();
    }

    private static Piece load(Segment segment, long offset, int wanted, long index, Supplier<String> name)
            throws IOException {
        // The order matters: a cut after this line makes the piece useless, whatever was read.
        int cuts = segment.cuts();
        Piece piece = load(segment, cuts, offset, (int) Math.min(wanted, segment.endOffset() - offset));
        if (piece.bytes.limit() < RecordFormat.HEADER_BYTES || !RecordFormat.isPossibleLength(piece.bytes.getInt(0))) {
            throw new LogCorruptException(name.get(), offset, "no record where entry " + index + " was written");
        }
        if (!holds(piece, offset)) {
            piece = load(segment, cuts, offset, RecordFormat.PREFIX_BYTES + piece.bytes.getInt(0));
        }
        if (!holds(piece, offset)) {
            throw new LogCorruptException(name.get(), offset, "entry " + index + " is cut short");
        }
        return piece;
    }

    private static Piece load(Segment segment, int cuts, long offset, int bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(Math.max(bytes, RecordFormat.HEADER_BYTES));
        segment.file.read(buffer, offset);
        return new Piece(segment, cuts, offset, buffer.flip());
    }

    private static LogRecord decode(Piece piece, long offset, long index, Supplier<String> name) throws IOException {
        int at = (int) (offset - piece.start);
        if (!RecordFormat.isWhole(piece.bytes, at) || RecordFormat.indexAt(piece.bytes, at) != index) {
            throw new LogCorruptException(name.get(), offset, "entry " + index + " is damaged");
        }
        return RecordFormat.decode(piece.bytes, at);
    }

    /** Lets go of the pieces of a segment that is gone. */
    void forget(Segment segment) {
        for (int i = 0; i < PIECES; i++) {
            Piece piece = pieces.get(i);
            if (piece != null && piece.segment == segment) {
                pieces.compareAndSet(i, piece, null);
            }
        }
    }
}
