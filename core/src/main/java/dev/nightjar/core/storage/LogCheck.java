/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks the files of a log that nobody has open, and reports what each holds and every damage. Changes nothing. One
 * thread, once.
 *
 * <p>Each file is looked at by itself, so that one damage does not hide the next; then the log as a whole, as a start
 * would.
 */
public final class LogCheck {

    private final FileSystem files;
    private final Path directory;
    private final Consumer<CheckResult> report;
    private final List<SegmentWalk> walks = new ArrayList<>();
    private final List<Finding> reported = new ArrayList<>();
    private long syncedPosition;

    private LogCheck(FileSystem files, Path directory, long syncedPosition, Consumer<CheckResult> report) {
        this.files = files;
        this.directory = directory;
        this.syncedPosition = syncedPosition;
        this.report = report;
    }

    /**
     * Checks the log of a store, all but what its image says.
     *
     * @param root the store's directory
     * @return the log; null if there is none, or none that a start would take
     */
    public static @Nullable StoredLog check(FileSystem files, Path root, Consumer<CheckResult> report)
            throws IOException {
        FileSystem looking = new ReadOnlyFileSystem(files);
        StoreDirectory.Look look;
        try {
            look = StoreDirectory.look(looking, root);
        } catch (CorruptStoreException e) {
            report.accept(new CheckResult("store", "the format file", List.of(Finding.damage(e))));
            return null;
        }
        Path data = look.data();
        if (data == null) {
            report.accept(new CheckResult("store", "nothing was ever written", look.findings()));
            return null;
        }
        report.accept(new CheckResult("store", "the segments are in " + data.getFileName(), look.findings()));
        long synced = StoredLog.syncedByImage(looking, data);
        return new LogCheck(looking, data, synced, report).log();
    }

    /**
     * Checks a checkpoint: its segments, its end, the checksums of its image.
     *
     * @return the consensus log's entry at which it ends; 0 if that cannot be told
     */
    public static long checkCheckpoint(FileSystem files, Path checkpoint, Consumer<CheckResult> report)
            throws IOException {
        FileSystem looking = new ReadOnlyFileSystem(files);
        Checkpoint manifest;
        try {
            manifest = Checkpoint.read(looking, checkpoint);
        } catch (CorruptStoreException e) {
            report.accept(new CheckResult(name(checkpoint), "a checkpoint", List.of(Finding.damage(e))));
            return 0;
        }
        new LogCheck(looking, checkpoint, manifest.endPosition(), report).checkpoint(manifest);
        return manifest.last().appliedIndex();
    }

    private static String name(Path path) {
        return String.valueOf(path.getFileName());
    }

    private @Nullable StoredLog log() throws IOException {
        try {
            walkAll();
            StoredLog log = StoredLog.inData(files, directory);
            result("log", "applied up to " + text(log.last()), unreported(log.findings()));
            return log;
        } catch (CorruptStoreException e) {
            result("log", "as a whole", unreported(List.of(Finding.damage(e))));
            return null;
        }
    }

    private void checkpoint(Checkpoint manifest) throws IOException {
        List<Finding> found = new ArrayList<>();
        try {
            walkAll();
            found.addAll(manifest.inspect(files, directory).findings());
        } catch (CorruptStoreException e) {
            found.add(Finding.damage(e));
        }
        readImage(found);
        result(name(directory), "applied up to " + text(manifest.last()), unreported(found));
    }

    private void readImage(List<Finding> found) throws IOException {
        Path image = directory.resolve(Images.NAME);
        if (files.exists(image)) {
            try (ImageReader reader = ImageReader.open(files, image)) {
                while (reader.next() != null) {
                    // Its checksum is all that counts here.
                }
            } catch (CorruptStoreException e) {
                found.add(Finding.damage(e));
            }
        }
    }

    private static String text(FrameInfo info) {
        return "entry " + info.appliedIndex() + ", revision " + info.revision();
    }

    private void walkAll() throws IOException {
        long storeId = 0;
        int sequence = 0;
        for (SegmentName name : Recovery.names(files, directory)) {
            if (name.firstSequence() <= sequence) {
                // Replaced by the packed file before it, so nobody reads it.
                continue;
            }
            SegmentWalk walk = SegmentWalk.walk(files, directory, name, storeId);
            walks.add(walk);
            syncedPosition = Math.max(syncedPosition, walk.syncedPosition());
            SegmentHeader header = walk.header();
            sequence = header == null ? name.firstSequence() : header.lastSequence();
            if (header != null) {
                storeId = header.storeId();
            }
        }
        for (SegmentWalk walk : walks) {
            tell(walk);
        }
    }

    private void tell(SegmentWalk walk) {
        List<Finding> found = new ArrayList<>();
        SegmentHeader header = walk.header();
        int sequence = header == null ? walk.name().firstSequence() : header.lastSequence();
        boolean isAlwaysDurable = walk.name().packed() || (walk == walks.getFirst() && header == null);
        for (SegmentWalk.Flaw flaw : walk.flaws()) {
            boolean wasDurable = isAlwaysDurable || syncedPosition > Place.position(sequence, flaw.offset());
            found.add(
                    wasDurable
                            ? Finding.damage(walk.path(), flaw.offset(), flaw.what())
                            : Finding.cutAtStart(walk.path(), flaw.offset(), flaw.what()));
        }
        reported.addAll(found);
        String subject = name(directory) + "/" + name(walk.path());
        result(subject, walk.frames() + " frames, " + walk.end() + " bytes", found);
    }

    private List<Finding> unreported(List<Finding> findings) {
        return findings.stream()
                .filter(finding -> reported.stream()
                        .noneMatch(known -> known.file().equals(finding.file()) && known.offset() == finding.offset()))
                .toList();
    }

    private void result(String subject, String detail, List<Finding> findings) {
        report.accept(new CheckResult(subject, detail, findings));
    }
}
