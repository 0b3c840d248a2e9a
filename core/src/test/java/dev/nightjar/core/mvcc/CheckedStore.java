/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static dev.nightjar.core.mvcc.StoreSteps.bytes;
import static dev.nightjar.core.mvcc.StoreSteps.commit;
import static dev.nightjar.core.mvcc.StoreSteps.compactAll;
import static dev.nightjar.core.mvcc.StoreSteps.delete;
import static dev.nightjar.core.mvcc.StoreSteps.log;
import static dev.nightjar.core.mvcc.StoreSteps.pack;
import static dev.nightjar.core.mvcc.StoreSteps.put;
import static dev.nightjar.core.mvcc.StoreSteps.putMany;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.core.storage.CheckResult;
import dev.nightjar.core.storage.CorruptStoreException;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.Finding;
import dev.nightjar.core.storage.HostileFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A store with something of everything, and checks of it that see to it that nothing changes. */
final class CheckedStore {

    static final Path STORE = Path.of("/store");
    static final Path DATA = STORE.resolve("data-00000001");
    static final Path IMAGE = DATA.resolve("index");

    private CheckedStore() {}

    /** Superseded and deleted keys, packed files, an image, and records behind it. */
    static void fill(MvccStore store) throws IOException {
        for (int i = 0; i < 4; i++) {
            putMany(store, 60, "value " + i);
            delete(store, "00000" + i);
            store.putRow(1, bytes("id" + i), bytes("body"));
            commit(store);
        }
        store.compact(store.currentRevision() - 2);
        commit(store);
        compactAll(store);
        pack(store);
        writeImage(store);
        put(store, "behind", "the image");
        put(store, "000007", "again");
        delete(store, "000008");
    }

    static void writeImage(MvccStore store) throws IOException {
        boolean more = true;
        while (more) {
            more = store.imageStep();
        }
    }

    /** Checks a store and sees to it that nothing changes. */
    static List<CheckResult> check(HostileFileSystem disk) throws IOException {
        return unchanged(disk, STORE, StoreCheck::check);
    }

    interface Check {
        void run(FileSystem files, Path directory, Consumer<CheckResult> report) throws IOException;
    }

    static List<CheckResult> unchanged(HostileFileSystem disk, Path directory, Check check) throws IOException {
        List<CheckResult> results = new ArrayList<>();
        Map<Path, String> before = contents(disk, directory);
        disk.stopAfter(0);
        check.run(disk, directory, results::add);
        disk.stopAfter(Long.MAX_VALUE);
        assertThat(contents(disk, directory)).isEqualTo(before);
        return results;
    }

    static Map<Path, String> contents(HostileFileSystem disk, Path directory) {
        Map<Path, String> contents = new TreeMap<>();
        for (String name : disk.list(directory)) {
            Path path = directory.resolve(name);
            if (disk.list(path).isEmpty() && !name.startsWith("data-")) {
                contents.put(path, HexFormat.of().formatHex(disk.content(path)));
            } else {
                contents.put(path, "a directory");
                contents.putAll(contents(disk, path));
            }
        }
        return contents;
    }

    static List<Finding> findings(HostileFileSystem disk) throws IOException {
        return check(disk).stream()
                .flatMap(result -> result.findings().stream())
                .toList();
    }

    static List<Finding> damages(HostileFileSystem disk) throws IOException {
        return findings(disk).stream().filter(Finding::isDamage).toList();
    }

    static List<Path> segments(HostileFileSystem disk) {
        return disk.list(DATA).stream()
                .filter(name -> name.endsWith(".seg") || name.endsWith(".pack"))
                .map(DATA::resolve)
                .toList();
    }

    static void createStore(HostileFileSystem files) throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            fill(store);
        }
    }

    static boolean isRefused(HostileFileSystem disk) throws IOException {
        try (MvccStore _ = MvccStore.open(log(disk.copy(), "/store"))) {
            return false;
        } catch (CorruptStoreException e) {
            assertThatThrownBy(() -> StoreFigures.read(disk, STORE))
                    .isInstanceOf(CorruptStoreException.class)
                    .hasMessage(e.getMessage());
            return true;
        }
    }
}
