/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.ImageReader;
import dev.nightjar.core.storage.StoredLog;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Index and rows as a start would have them, of a log that no server has open. One thread.
 *
 * @param index what the keys are
 * @param rows the small state beside them
 */
record OfflineIndex(KeyIndex index, Rows rows) implements AutoCloseable {

    /**
     * Builds them from an image and what follows it, or from all records.
     *
     * @param image null to read all records; read to its end here, not closed
     */
    static OfflineIndex load(StoredLog log, @Nullable ImageReader image) throws IOException {
        OfflineIndex loaded;
        if (image == null) {
            loaded = new OfflineIndex(new KeyIndex(), new Rows());
        } else {
            IndexImageReader.Loaded content = IndexImageReader.load(image, MvccStore.NO_HELPER);
            loaded = new OfflineIndex(content.index(), content.rows());
        }
        boolean complete = false;
        try {
            log.replay(image, new StoreReplay(loaded.index, loaded.rows));
            loaded.forgetCompacted(log);
            complete = true;
            return loaded;
        } finally {
            if (!complete) {
                loaded.close();
            }
        }
    }

    private void forgetCompacted(StoredLog log) {
        IndexCompaction all = new IndexCompaction(index, log.last().compactedRevision());
        while (!all.isDone()) {
            all.step();
            for (long place : all.dropped()) {
                log.release(place);
            }
        }
    }

    @Override
    public void close() {
        index.close();
    }
}
