/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a store, locked for one process. One thread.
 *
 * <pre>
 *   LOCK            held while the store is open
 *   format          says which format this is and which data directory counts
 *   data-00000001/  the segments
 * </pre>
 *
 * A snapshot is installed by building a second data directory and then replacing {@code format}: a crash leaves one or
 * the other.
 */
final class StoreDirectory implements AutoCloseable {

    private static final String FORMAT = "format";
    private static final String KIND = "store";
    private static final String DATA = "data";
    private static final Pattern DATA_NAME = Pattern.compile("data-(\\d{8})");

    private final FileSystem files;
    private final Path root;
    private final FileSystem.Lock lock;
    private @Nullable Path data;

    private StoreDirectory(FileSystem files, Path root, FileSystem.Lock lock) {
        this.files = files;
        this.root = root;
        this.lock = lock;
    }

    /** Locks the directory, creating it if need be, and removes what an interrupted change left behind. */
    static StoreDirectory open(FileSystem files, Path root) throws IOException {
        files.createDirectories(root);
        StoreDirectory directory = new StoreDirectory(files, root, files.lock(root.resolve("LOCK")));
        try {
            directory.load();
            return directory;
        } catch (IOException | RuntimeException e) {
            directory.close();
            throw e;
        }
    }

    private void load() throws IOException {
        data = named(files, root);
        for (String name : files.list(root)) {
            Path path = root.resolve(name);
            if (DATA_NAME.matcher(name).matches() && !path.equals(data)) {
                removeLeftOver(path);
            }
        }
    }

    /** The directory of the segments that the format file names, null if there is no such file. */
    private static @Nullable Path named(FileSystem files, Path root) throws IOException {
        Path format = root.resolve(FORMAT);
        if (!files.exists(format)) {
            return null;
        }
        String name = TextFile.read(files, format, KIND).get(DATA);
        if (name == null || !files.exists(root.resolve(name))) {
            throw new CorruptStoreException(format, 0, "the data directory " + name + " is missing");
        }
        return root.resolve(name);
    }

    /**
     * What an open would find; changes nothing and takes no lock.
     *
     * @param data the directory of the segments, null if the store was never completely created
     * @param findings what an open would remove
     */
    record Look(@Nullable Path data, List<Finding> findings) {}

    /** @throws CorruptStoreException if an open would refuse the directory */
    static Look look(FileSystem files, Path root) throws IOException {
        Path data = named(files, root);
        List<Finding> findings = new ArrayList<>();
        for (String name : files.exists(root) ? files.list(root) : List.<String>of()) {
            Path path = root.resolve(name);
            if (DATA_NAME.matcher(name).matches() && !path.equals(data)) {
                if (data == null) {
                    requireNoData(files, root, path);
                }
                findings.add(
                        Finding.cutAtStart(path, 0, "a directory that does not count, left by an interrupted change"));
            }
        }
        return new Look(data, findings);
    }

    private static void requireNoData(FileSystem files, Path root, Path directory) throws IOException {
        if (holdsData(files, directory, files.list(directory))) {
            throw new CorruptStoreException(
                    root.resolve(FORMAT), 0, "the file is missing, though " + directory + " holds data");
        }
    }

    private void removeLeftOver(Path directory) throws IOException {
        if (data == null) {
            requireNoData(files, root, directory);
        }
        for (String name : files.list(directory)) {
            files.delete(directory.resolve(name));
        }
        files.delete(directory);
    }

    /** A store that was never completely created has at most one segment, without a frame. */
    private static boolean holdsData(FileSystem files, Path directory, List<String> names) throws IOException {
        if (names.size() > 1) {
            return true;
        }
        for (String name : names) {
            try (FileSystem.StoreFile file = files.open(directory.resolve(name), false)) {
                if (file.size() > SegmentHeader.BYTES) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The directory of the segments, null if the store has not been created yet. */
    @Nullable
    Path data() {
        return data;
    }

    /** Creates an empty data directory that does not count yet. */
    Path createNext() throws IOException {
        int number = 1;
        for (String name : files.list(root)) {
            var matcher = DATA_NAME.matcher(name);
            if (matcher.matches()) {
                number = Math.max(number, Integer.parseInt(matcher.group(1)) + 1);
            }
        }
        Path next = root.resolve(String.format("data-%08d", number));
        files.createDirectories(next);
        return next;
    }

    /** Makes {@code next}, whose files are durable, the data directory that counts and removes the one before. */
    void switchTo(Path next) throws IOException {
        Path before = data;
        files.syncDirectory(next);
        files.syncDirectory(root);
        TextFile.write(files, root.resolve(FORMAT), KIND, Map.of(DATA, String.valueOf(next.getFileName())));
        data = next;
        if (before != null) {
            removeLeftOver(before);
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
