/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.entity.LocalFileMetaOutter.LocalFileMeta;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.snapshot.Snapshot;
import com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotMetaTable;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The files of the newest snapshot, checked before the engine looks at them: it takes a snapshot that it cannot read for
 * none, and misses a file only when it has to send it. What is inside the files the state machine checks when it loads
 * them. Used by the thread that starts a member.
 */
final class SnapshotFiles {
    private SnapshotFiles() {}

    /** What is noted of a file when a snapshot is taken. */
    static LocalFileMeta describe(Path file) throws IOException {
        ByteBuffer size = ByteBuffer.allocate(Long.BYTES).putLong(0, Files.size(file));
        return LocalFileMeta.newBuilder().setUserMeta(ByteString.copyFrom(size)).build();
    }

    /**
     * Checks that the newest snapshot is there as it was taken.
     *
     * @param firstIndex where the log begins: what comes before must be in a snapshot
     * @throws IOException naming the file that is missing or not what it was
     */
    static void check(Path directory, long firstIndex) throws IOException {
        long newest = newest(directory);
        if (newest < firstIndex - 1) {
            throw new IOException("the log begins with entry " + firstIndex + ", but " + directory
                    + " holds no snapshot of the entries before");
        }
        if (newest == 0) {
            return;
        }
        Path snapshot = directory.resolve(Snapshot.JRAFT_SNAPSHOT_PREFIX + newest);
        LocalSnapshotMetaTable table = read(snapshot.resolve(Snapshot.JRAFT_SNAPSHOT_META_FILE), newest);
        for (String name : table.listFiles()) {
            checkFile(snapshot.resolve(name), table.getFileMeta(name));
        }
    }

    /** The index of the newest snapshot, 0 if there is none. */
    static long newest(Path directory) throws IOException {
        SortedSet<Long> indexes = indexes(directory);
        return indexes.isEmpty() ? 0 : indexes.last();
    }

    /** The directories of all snapshots, oldest first. */
    static List<Path> all(Path directory) throws IOException {
        return indexes(directory).stream()
                .map(index -> directory.resolve(Snapshot.JRAFT_SNAPSHOT_PREFIX + index))
                .toList();
    }

    private static SortedSet<Long> indexes(Path directory) throws IOException {
        SortedSet<Long> indexes = new TreeSet<>();
        for (String name : Files.isDirectory(directory) ? names(directory) : List.<String>of()) {
            if (name.startsWith(Snapshot.JRAFT_SNAPSHOT_PREFIX)) {
                try {
                    indexes.add(Long.parseLong(name.substring(Snapshot.JRAFT_SNAPSHOT_PREFIX.length())));
                } catch (NumberFormatException e) {
                    throw new IOException(directory.resolve(name) + ": not the name of a snapshot", e);
                }
            }
        }
        return indexes;
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(path -> String.valueOf(path.getFileName())).toList();
        }
    }

    private static LocalSnapshotMetaTable read(Path list, long index) throws IOException {
        LocalSnapshotMetaTable table = new LocalSnapshotMetaTable(new RaftOptions());
        boolean read;
        try {
            read = table.loadFromFile(list.toString());
        } catch (IOException | RuntimeException e) {
            throw new IOException(list + ": the list of a snapshot's files cannot be read: " + e.getMessage(), e);
        }
        if (!read) {
            throw new IOException(list + ": the list of a snapshot's files is missing or damaged");
        }
        if (!table.hasMeta() || table.getMeta().getLastIncludedIndex() != index) {
            throw new IOException(list + ": the list of a snapshot's files is damaged: it is not of entry " + index);
        }
        return table;
    }

    private static void checkFile(Path file, LocalFileMeta meta) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException(file + ": this file of a snapshot is missing");
        }
        long size = Files.size(file);
        ByteString noted = meta.getUserMeta();
        if (noted.size() != Long.BYTES || noted.asReadOnlyByteBuffer().getLong() != size) {
            throw new IOException(file + ": this file of a snapshot has " + size + " bytes, which is not what it had");
        }
    }
}
