/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.CheckResult;
import dev.nightjar.core.storage.CorruptStoreException;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.Finding;
import dev.nightjar.core.storage.ImageReader;
import dev.nightjar.core.storage.LogCheck;
import dev.nightjar.core.storage.StoredLog;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Checks the files of a store that no server has open, and reports what each holds and every damage. Changes nothing.
 * Stateless.
 */
public final class StoreCheck {

    private StoreCheck() {}

    /**
     * Checks every frame of a store, and that its index image says the same as the frames. Needs memory for two indexes.
     *
     * @param root the store's directory
     * @return the consensus log's entry at which the store ends; 0 if there is none, or none that can be told
     * @throws IOException if a file cannot be read
     */
    public static long check(FileSystem files, Path root, Consumer<CheckResult> report) throws IOException {
        StoredLog log = LogCheck.check(files, root, report);
        if (log == null) {
            return 0;
        }
        report.accept(checkImage(log));
        return log.last().appliedIndex();
    }

    /**
     * Checks a checkpoint: every frame, and the checksums of its image.
     *
     * @return the consensus log's entry at which it ends; 0 if that cannot be told
     * @throws IOException if a file cannot be read
     */
    public static long checkCheckpoint(FileSystem files, Path checkpoint, Consumer<CheckResult> report)
            throws IOException {
        return LogCheck.checkCheckpoint(files, checkpoint, report);
    }

    private static CheckResult checkImage(StoredLog log) throws IOException {
        try (ImageReader image = log.image()) {
            return image == null
                    ? new CheckResult("index", "no image yet: a start reads all records", List.of())
                    : compare(log, image);
        } catch (CorruptStoreException e) {
            return new CheckResult("index", "the image", List.of(Finding.damage(e)));
        }
    }

    private static CheckResult compare(StoredLog log, ImageReader image) throws IOException {
        try (OfflineIndex fromImage = fromImage(log, image);
                OfflineIndex fromLog = OfflineIndex.load(log, null)) {
            IndexComparison.Outcome outcome = IndexComparison.compare(fromImage, fromLog);
            List<Finding> findings = outcome.differences().stream()
                    .map(difference -> Finding.damage(new CorruptStoreException(log.imagePath(), 0, difference)))
                    .toList();
            return new CheckResult(
                    "index",
                    "the image of revision " + image.revision() + " compared with the log, " + outcome.entries()
                            + " entries",
                    findings);
        }
    }

    private static OfflineIndex fromImage(StoredLog log, ImageReader image) throws IOException {
        try {
            return OfflineIndex.load(log, image);
        } catch (IllegalStateException | BufferUnderflowException | IndexOutOfBoundsException e) {
            // Its checksums are right, and it makes no sense all the same.
            throw image.damaged("the image cannot be understood: " + e);
        }
    }
}
