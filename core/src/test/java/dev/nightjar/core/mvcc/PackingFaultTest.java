/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static dev.nightjar.core.mvcc.StoreSteps.all;
import static dev.nightjar.core.mvcc.StoreSteps.commit;
import static dev.nightjar.core.mvcc.StoreSteps.compactAll;
import static dev.nightjar.core.mvcc.StoreSteps.compactAndPack;
import static dev.nightjar.core.mvcc.StoreSteps.log;
import static dev.nightjar.core.mvcc.StoreSteps.options;
import static dev.nightjar.core.mvcc.StoreSteps.overwrite;
import static dev.nightjar.core.mvcc.StoreSteps.pack;
import static dev.nightjar.core.mvcc.StoreSteps.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.core.storage.CorruptStoreException;
import dev.nightjar.core.storage.HostileFileSystem;
import dev.nightjar.core.storage.SegmentLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Packing on disks that fail: whatever happens in the middle of it, nothing is lost. */
class PackingFaultTest {

    private static final Path DATA = Path.of("/store/data-00000001");

    private final long seed = Long.getLong("nightjar.seed", System.nanoTime());
    private final HostileFileSystem files = new HostileFileSystem();

    @Test
    void checkpointInTheMiddleOfPackingIsWhole() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            overwrite(store, 1000);
            store.compact(store.currentRevision());
            commit(store);
            compactAll(store);
            List<String> state = range(store, all());
            int step = 0;
            boolean more = true;
            while (more) {
                more = store.packStep(false);
                Path copy = Path.of("/copy" + step);
                files.createDirectories(copy);
                store.cut();
                store.checkpoint(copy);
                SegmentLog.restore(options(files, "/other"), copy);
                try (MvccStore other = MvccStore.open(log(files, "/other"))) {
                    assertThat(range(other, all())).isEqualTo(state);
                    assertThat(other.sizeInUseBytes()).isEqualTo(store.sizeInUseBytes());
                }
                step++;
            }
            assertThat(step).isGreaterThan(2);
        }
    }

    @Test
    void powerLossAtAnyStepOfPackingLosesNothing() throws IOException {
        Random random = new Random(seed);
        for (int run = 0; run < 40; run++) {
            HostileFileSystem disk = new HostileFileSystem();
            MvccStore store = MvccStore.open(log(disk, "/store"));
            overwrite(store, 300);
            store.compact(200);
            commit(store);
            compactAll(store);
            long durable = store.sync();
            List<String> state = range(store, all());
            int steps = random.nextInt(8);
            for (int i = 0; i < steps; i++) {
                store.packStep(false);
            }
            HostileFileSystem after = disk.crash(random);
            try (MvccStore again = MvccStore.open(log(after, "/store"))) {
                assertThat(again.appliedIndex()).as("seed %d", seed).isEqualTo(durable);
                assertThat(range(again, all())).as("seed %d", seed).isEqualTo(state);
                pack(again);
                assertThat(range(again, all())).as("seed %d", seed).isEqualTo(state);
            }
            assertThat(after.list(DATA)).noneMatch(name -> name.endsWith(".tmp"));
        }
    }

    @Test
    void fullDiskAtAnyStepOfPackingLosesNothingAndItCanBeTriedAgain() throws IOException {
        for (int budget = 0; budget < 4000; budget += 130) {
            HostileFileSystem disk = new HostileFileSystem();
            try (MvccStore store = MvccStore.open(log(disk, "/store"))) {
                overwrite(store, 300);
                store.compact(store.currentRevision());
                commit(store);
                compactAll(store);
                List<String> state = range(store, all());
                disk.setFreeBytes(budget);
                try {
                    pack(store);
                } catch (IOException e) {
                    assertThat(e).hasMessageContaining("No space left");
                }
                assertThat(range(store, all())).isEqualTo(state);
                assertThat(disk.list(DATA)).noneMatch(name -> name.endsWith(".tmp"));
                disk.setFreeBytes(Long.MAX_VALUE);
                pack(store);
                assertThat(store.packStep(false)).isFalse();
                assertThat(range(store, all())).isEqualTo(state);
            }
        }
    }

    @Test
    void everyByteOfAPackedSegmentIsChecked() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            overwrite(store, 100);
            compactAndPack(store);
        }
        Path packed = DATA.resolve(files.list(DATA).stream()
                .filter(name -> name.endsWith(".pack"))
                .findFirst()
                .orElseThrow());
        int length = files.content(packed).length;
        for (int at = 0; at < length; at++) {
            HostileFileSystem damaged = files.copy();
            damaged.flip(packed, at, 1);
            assertThatThrownBy(() -> log(damaged, "/store"))
                    .isInstanceOf(CorruptStoreException.class)
                    .hasMessageContaining(".pack, offset");
        }
        HostileFileSystem cut = files.copy();
        cut.truncate(packed, length - 1);
        assertThatThrownBy(() -> log(cut, "/store")).isInstanceOf(CorruptStoreException.class);
        HostileFileSystem lost = files.copy();
        lost.lose(packed);
        assertThatThrownBy(() -> log(lost, "/store")).isInstanceOf(CorruptStoreException.class);
    }
}
