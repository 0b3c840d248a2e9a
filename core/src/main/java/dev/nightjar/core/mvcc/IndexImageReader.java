/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.CorruptStoreException;
import dev.nightjar.core.storage.ImageReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;

/**
 * Builds index and rows from an image that {@link IndexImage} wrote. One thread, once.
 */
final class IndexImageReader {

    private final ImageReader image;
    private final KeyIndex index = new KeyIndex();
    private final TreeBuilder tree = new TreeBuilder(index);
    private final Rows rows = new Rows();

    private IndexImageReader(ImageReader image) {
        this.image = image;
    }

    /**
     * What an image holds.
     *
     * @param forgottenRevision up to which the index has forgotten what is superseded
     */
    record Loaded(KeyIndex index, Rows rows, long forgottenRevision) {}

    /**
     * Reads an image to its end.
     *
     * @param helper may get memory for it meanwhile
     * @throws CorruptStoreException if it is damaged
     */
    static Loaded load(ImageReader image, Executor helper) throws IOException {
        IndexImageReader reader = new IndexImageReader(image);
        LeafPages pages = reader.index.pages();
        boolean complete = false;
        try {
            pages.makeAhead(helper);
            reader.read();
            complete = true;
            return new Loaded(reader.index, reader.rows, image.forgottenRevision());
        } catch (RuntimeException e) {
            // Every checksum is right, so it was written like this: the log is there to be read instead.
            throw image.damaged("what it says makes no sense: " + e);
        } finally {
            pages.stopAhead();
            if (!complete) {
                reader.index.close();
            }
        }
    }

    private void read() throws IOException {
        boolean pagesComplete = false;
        for (ByteBuffer chunk = image.next(); chunk != null; chunk = image.next()) {
            switch (image.kind()) {
                case IndexImage.PAGES -> {
                    while (chunk.hasRemaining()) {
                        page(chunk);
                    }
                }
                case IndexImage.HISTORY -> history(chunk);
                case IndexImage.ROWS -> {
                    if (!pagesComplete) {
                        tree.finish();
                        pagesComplete = true;
                    }
                    rows(chunk);
                }
                default -> throw image.damaged("a chunk of unknown kind");
            }
        }
        if (!pagesComplete) {
            tree.finish();
        }
    }

    private void page(ByteBuffer chunk) {
        LeafPages pages = index.pages();
        boolean plain = LeafPages.isPlainCopy(chunk);
        int page = pages.copyFrom(chunk);
        if (!plain) {
            restOf(page, chunk);
        }
        tree.add(page);
    }

    /** What follows on the copy of a page: short histories and long keys. */
    private void restOf(int page, ByteBuffer chunk) {
        LeafPages pages = index.pages();
        int count = pages.count(page);
        for (int slot = 0; slot < count; slot++) {
            if (pages.history(page, slot) != 0) {
                int pairs = Byte.toUnsignedInt(chunk.get());
                int list = 0;
                for (int i = 0; i < pairs; i++) {
                    list = index.history().push(list, chunk.getLong(), chunk.getLong());
                }
                pages.setHistory(page, slot, list);
            }
        }
        for (int slot = 0; slot < count; slot++) {
            if (pages.longKey(page, slot) >= 0) {
                byte[] key = new byte[chunk.getInt()];
                chunk.get(key);
                pages.setLongKey(page, slot, pages.longKeys().add(key));
            }
        }
    }

    /** The rest of a long history; its page was the last one or one of the same chunk. */
    private void history(ByteBuffer chunk) throws CorruptStoreException {
        byte[] key = new byte[chunk.getInt()];
        chunk.get(key);
        int list = tree.historyOf(key);
        if (list == 0) {
            throw image.damaged("a history without its key");
        }
        for (int i = chunk.getInt(); i > 0; i--) {
            index.history().push(list, chunk.getLong(), chunk.getLong());
        }
    }

    private void rows(ByteBuffer chunk) {
        while (chunk.hasRemaining()) {
            int type = chunk.getInt();
            byte[] id = new byte[chunk.getInt()];
            chunk.get(id);
            byte[] body = new byte[chunk.getInt()];
            chunk.get(body);
            rows.put(type, id, body);
        }
    }
}
