/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.ImageWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the index and the rows into an image, in small steps, while writes go on. Maintenance thread; {@link
 * IndexImageReader} is the other side.
 *
 * <pre>
 *   PAGES     the leaves from left to right, each as it is at that moment, with the short histories of its keys;
 *             the rest of long histories follows behind
 *   ROWS      the rows, some at a time
 *   WRITTEN   what has been copied may be in the frame under construction: wait until that is in the log
 *   DONE      the image counts
 * </pre>
 *
 * <p>So the pages are of different moments. That does no harm: a start reads the log from where it was when the image was
 * begun, and takes every change that a page has already for what it is.
 */
final class IndexImage {

    /** Kinds of chunks. */
    static final int PAGES = 1;

    static final int HISTORY = 2;
    static final int ROWS = 3;

    /** Pairs of a history that are copied along with the page: more would hold the lock for longer than a page. */
    static final int INLINE_PAIRS = 16;
    /** Pairs of a longer history that are copied at a time, for the same reason. */
    static final int PIECE_PAIRS = 2048;
    /** Rows that are copied at a time. */
    static final int PIECE_ROWS = 256;
    /** What is written at once: about a millisecond. */
    static final int CHUNK_BYTES = 1 << 20;

    private enum State {
        PAGES,
        ROWS,
        WRITTEN,
        DONE
    }

    private final MvccStore store;
    private final ImageWriter writer;
    private final TreePath path = new TreePath();
    private final List<LongHistory> longHistories = new ArrayList<>();
    private ByteBuffer buffer = ByteBuffer.allocateDirect(2 * CHUNK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private State state = State.PAGES;
    private byte @Nullable [] next = {};
    private Rows.@Nullable Cursor rows = new Rows.Cursor(0, new byte[0]);
    private long framesToWait;

    /** The part of a key's history that did not go with its page. */
    private record LongHistory(byte[] key, int from, int to) {}

    IndexImage(MvccStore store, ImageWriter writer) {
        this.store = store;
        this.writer = writer;
    }

    /** Does one bounded piece and tells whether there is more. */
    boolean step() throws IOException {
        switch (state) {
            case PAGES -> pages();
            case ROWS -> rows();
            case WRITTEN -> {
                if (store.batch().framesWritten() >= framesToWait) {
                    writer.finish();
                    state = State.DONE;
                }
            }
            case DONE -> throw new IllegalStateException("the image is complete");
        }
        return state != State.DONE;
    }

    void abandon() throws IOException {
        writer.abandon();
    }

    // ---- PAGES

    private void pages() throws IOException {
        while (buffer.position() < CHUNK_BYTES && next != null) {
            page(next);
        }
        flush(PAGES);
        for (LongHistory each : longHistories) {
            history(each);
        }
        longHistories.clear();
        if (next == null) {
            state = State.ROWS;
        }
    }

    private void page(byte[] from) {
        List<byte[]> longKeys = new ArrayList<>();
        int start = buffer.position();
        long stamp = store.lock().readLock();
        try {
            KeyIndex index = store.index();
            int page = path.descend(index.root(), from);
            next = path.upperBound();
            if (!index.pages().copyTo(page, buffer)) {
                copyHistories(index, page);
                gatherLongKeys(index.pages(), page, longKeys);
            }
        } finally {
            store.lock().unlockRead(stamp);
        }
        if (LeafPages.isEmptyCopy(buffer, start)) {
            buffer.position(start);
            return;
        }
        for (byte[] key : longKeys) {
            ensure(Integer.BYTES + key.length);
            buffer.putInt(key.length).put(key);
        }
        ensure(CHUNK_BYTES);
    }

    private static void gatherLongKeys(LeafPages pages, int page, List<byte[]> target) {
        for (int slot = 0; slot < pages.count(page); slot++) {
            int number = pages.longKey(page, slot);
            if (number >= 0) {
                target.add(pages.longKeys().get(number));
            }
        }
    }

    private void copyHistories(KeyIndex index, int page) {
        KeyHistory history = index.history();
        for (int slot = 0; slot < index.pages().count(page); slot++) {
            int list = index.pages().history(page, slot);
            if (list != 0) {
                int count = history.count(list);
                int inline = Math.min(count, INLINE_PAIRS);
                buffer.put((byte) inline);
                putPairs(history, list, 0, inline);
                if (count > inline) {
                    longHistories.add(new LongHistory(index.pages().key(page, slot), inline, count));
                }
            }
        }
    }

    private void putPairs(KeyHistory history, int list, int from, int to) {
        for (int i = from; i < to; i++) {
            buffer.putLong(history.word(list, i)).putLong(history.place(list, i));
        }
    }

    /** The older part of a history does not change while nothing is compacted, so it can be copied piece by piece. */
    private void history(LongHistory rest) throws IOException {
        for (int from = rest.from; from < rest.to; from += PIECE_PAIRS) {
            int to = Math.min(rest.to, from + PIECE_PAIRS);
            ensure(CHUNK_BYTES + rest.key.length);
            buffer.putInt(rest.key.length).put(rest.key).putInt(to - from);
            long stamp = store.lock().readLock();
            try {
                KeyIndex index = store.index();
                putPairs(index.history(), index.historyOf(rest.key), from, to);
            } finally {
                store.lock().unlockRead(stamp);
            }
            flush(HISTORY);
        }
    }

    // ---- ROWS

    private void rows() throws IOException {
        while (buffer.position() < CHUNK_BYTES && rows != null) {
            List<Row> piece = new ArrayList<>();
            long stamp = store.lock().readLock();
            try {
                rows = store.rows().piece(rows, PIECE_ROWS, piece);
                framesToWait = store.batch().framesBegun();
            } finally {
                store.lock().unlockRead(stamp);
            }
            for (Row row : piece) {
                ensure(3 * Integer.BYTES + row.id().length + row.body().length);
                buffer.putInt(row.type()).putInt(row.id().length).put(row.id());
                buffer.putInt(row.body().length).put(row.body());
            }
        }
        flush(ROWS);
        if (rows == null) {
            state = State.WRITTEN;
        }
    }

    // ---- the buffer

    private void ensure(int bytes) {
        if (buffer.remaining() < bytes) {
            int larger = Math.addExact(buffer.position(), Math.max(bytes, buffer.capacity()));
            buffer = ByteBuffer.allocateDirect(larger)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .put(buffer.flip());
        }
    }

    private void flush(int kind) throws IOException {
        if (buffer.position() > 0) {
            writer.write(kind, buffer.flip());
            buffer.clear();
        }
    }
}
