/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.CorruptStoreException;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.FrameInfo;
import dev.nightjar.core.storage.ImageReader;
import dev.nightjar.core.storage.StoredLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a store holds that no server has open.
 *
 * @param keys that exist
 * @param last revision, compacted revision, applied index and term
 * @param segments files of the log
 * @param bytes of all records and what surrounds them
 * @param bytesInUse of the records that a reader could reach
 * @param rows of small state beside the keys
 * @param imageRevision newest revision that the index image is sure to hold, -1 if there is no image that can be used
 * @param imageBytes size of the image, 0 if there is none
 */
public record StoreFigures(
        long keys,
        FrameInfo last,
        int segments,
        long bytes,
        long bytesInUse,
        long rows,
        long imageRevision,
        long imageBytes) {

    /**
     * Reads them as a start would read the store. Changes nothing.
     *
     * @param root the store's directory
     * @throws CorruptStoreException if a start would refuse the store
     * @throws IOException also if a file cannot be read
     */
    public static StoreFigures read(FileSystem files, Path root) throws IOException {
        StoredLog log = StoredLog.open(files, root);
        if (log == null) {
            return new StoreFigures(0, FrameInfo.FRESH, 0, 0, 0, 0, -1, 0);
        }
        try (ImageReader image = log.image()) {
            return of(log, image);
        } catch (CorruptStoreException e) {
            // A damaged image is none.
            return of(log, null);
        }
    }

    private static StoreFigures of(StoredLog log, @Nullable ImageReader image) throws IOException {
        try (OfflineIndex loaded = OfflineIndex.load(log, image)) {
            List<Row> rows = new ArrayList<>();
            var _ = loaded.rows().piece(new Rows.Cursor(0, new byte[0]), Integer.MAX_VALUE, rows);
            return new StoreFigures(
                    loaded.index().count(),
                    log.last(),
                    log.segmentCount(),
                    log.sizeBytes(),
                    log.changeBytesInUse() + loaded.rows().liveBytes(),
                    rows.size(),
                    image == null ? -1 : image.revision(),
                    image == null ? 0 : image.sizeBytes());
        }
    }
}
