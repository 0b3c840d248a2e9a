/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static dev.nightjar.core.mvcc.StoreSteps.ALL;
import static dev.nightjar.core.mvcc.StoreSteps.all;
import static dev.nightjar.core.mvcc.StoreSteps.options;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.storage.HostileFileSystem;
import dev.nightjar.core.storage.MemoryRecordStore;
import dev.nightjar.core.storage.SegmentLog;
import dev.nightjar.core.storage.StoreFailedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Random commands, upkeep and checkpoints on a disk that fails in every way it can, at any operation: whatever happens, the
 * store comes back as it was after some command, none that was durable is missing, and it answers like the model.
 */
class StoreFaultTest {

    private static final int ROUNDS = Integer.getInteger("nightjar.rounds", 200);
    private static final int LIVES = 5;
    private static final int STEPS = 60;

    private final long seed = Long.getLong("nightjar.seed", System.nanoTime());
    private final Map<Fault, Integer> seen = new HashMap<>();
    private int images;
    private int packs;

    private enum Fault {
        CLEAN_CLOSE,
        KILL,
        POWER_LOSS,
        FULL_DISK,
        FAILING_SYNC,
        DEAD_DISK_THEN_KILL,
        DEAD_DISK_THEN_POWER_LOSS,
        RESTORE
    }

    @Test
    void storeSurvivesEveryFaultAtAnyStep() throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            long roundSeed = seed + round;
            try {
                new Round(new Random(roundSeed)).run();
            } catch (IOException | RuntimeException | AssertionError e) {
                throw new AssertionError("replay with -Dnightjar.seed=" + roundSeed, e);
            }
        }
        assertThat(seen).containsOnlyKeys(Fault.values());
        assertThat(images).isGreaterThan(ROUNDS / 2);
        assertThat(packs).isGreaterThan(ROUNDS / 2);
    }

    /** One disk and its store through several lives. */
    private final class Round {
        private final Random random;
        private final Batches batches;
        private HostileFileSystem disk = new HostileFileSystem();
        private Batches.State state = new Batches.State();
        private long durable;
        private boolean imaging;
        private int checkpoints;
        /** Checkpoints, and how many batches there were. */
        private final Map<Path, Integer> complete = new TreeMap<>();

        Round(Random random) {
            this.random = random;
            this.batches = new Batches(random);
        }

        void run() throws IOException {
            if (random.nextBoolean()) {
                disk.writeShort(new Random(random.nextLong()));
            }
            for (int life = 0; life < LIVES; life++) {
                MvccStore store = MvccStore.open(SegmentLog.open(options(disk, "/store")));
                imaging = false;
                check(store);
                live(store);
            }
            try (MvccStore store = MvccStore.open(SegmentLog.open(options(disk, "/store")))) {
                check(store);
            }
        }

        private void live(MvccStore store) throws IOException {
            List<Fault> faults = List.of(Fault.values());
            Fault fault = faults.get(random.nextInt(faults.size()));
            seen.merge(fault, 1, Integer::sum);
            int steps = random.nextInt(STEPS);
            int faultAt = random.nextInt(steps + 1);
            try {
                for (int i = 0; i < steps; i++) {
                    if (i == faultAt) {
                        begin(fault);
                    }
                    step(store);
                }
            } catch (StoreFailedException e) {
                assertThat(fault)
                        .isIn(
                                Fault.FULL_DISK,
                                Fault.FAILING_SYNC,
                                Fault.DEAD_DISK_THEN_KILL,
                                Fault.DEAD_DISK_THEN_POWER_LOSS);
            }
            end(fault, store);
        }

        private void begin(Fault fault) {
            switch (fault) {
                case FULL_DISK -> disk.setFreeBytes(random.nextInt(6000));
                case FAILING_SYNC -> disk.failSyncs(1);
                case DEAD_DISK_THEN_KILL, DEAD_DISK_THEN_POWER_LOSS -> disk.stopAfter(random.nextInt(100));
                case CLEAN_CLOSE, KILL, POWER_LOSS, RESTORE -> {}
            }
        }

        private void end(Fault fault, MvccStore store) throws IOException {
            switch (fault) {
                case CLEAN_CLOSE -> {
                    store.close();
                    durable = batches.size();
                }
                case RESTORE -> {
                    store.close();
                    durable = batches.size();
                    if (!complete.isEmpty()) {
                        Path checkpoint = List.copyOf(complete.keySet()).get(random.nextInt(complete.size()));
                        SegmentLog.restore(options(disk, "/store"), checkpoint);
                        durable = 0;
                    }
                }
                case KILL, FULL_DISK, DEAD_DISK_THEN_KILL -> disk = disk.copy();
                case POWER_LOSS, FAILING_SYNC, DEAD_DISK_THEN_POWER_LOSS -> {
                    disk = disk.crash(random);
                }
            }
        }

        private void step(MvccStore store) throws IOException {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    batches.next(state);
                    batches.apply(store, batches.size());
                }
                case 3 -> store.compactStep(Long.MAX_VALUE);
                case 4 -> pack(store);
                case 5 -> image(store);
                case 6 -> {
                    if (random.nextInt(3) == 0) {
                        sync(store);
                    }
                }
                default -> {
                    if (random.nextInt(6) == 0) {
                        checkpoint(store);
                    }
                }
            }
        }

        private void sync(MvccStore store) {
            try {
                durable = store.sync();
            } catch (IOException e) {
                throw new StoreFailedException("sync", e);
            }
        }

        /** A step of upkeep may fail for want of room and be tried again. */
        private void pack(MvccStore store) {
            try {
                packs += store.packStep(false) ? 1 : 0;
            } catch (IOException e) {
                assertThat(e).hasMessageMatching(".*(No space left on device|Input/output error).*");
            }
        }

        private void image(MvccStore store) {
            try {
                boolean before = imaging;
                imaging = store.imageStep();
                images += before && !imaging ? 1 : 0;
            } catch (IOException e) {
                imaging = false;
                assertThat(e).hasMessageMatching(".*(No space left on device|Input/output error).*");
            }
        }

        private void checkpoint(MvccStore store) {
            Path target = Path.of("/checkpoint" + checkpoints++);
            disk.createDirectories(target);
            store.cut();
            try {
                store.checkpoint(target);
                complete.put(target, batches.size());
            } catch (IOException e) {
                assertThat(e).hasMessageMatching(".*(No space left on device|Input/output error).*");
            }
        }

        // ---- checking

        private void check(MvccStore store) throws IOException {
            assertThat(store.appliedIndex()).isBetween(durable, (long) batches.size());
            batches.cut((int) store.appliedIndex());
            // What was lost does not come back: a checkpoint of it is of another store from now on.
            complete.values().removeIf(size -> size > batches.size());
            state = batches.state(batches.size());
            Model model = state.model;
            assertThat(store.publishedRevision()).isEqualTo(model.revision);
            assertThat(store.compactedRevision()).isEqualTo(model.compacted);
            assertThat(rows(store)).isEqualTo(state.rows);
            for (long at = Math.max(model.compacted, 1); at <= model.revision; at++) {
                if (at == model.revision || random.nextInt(8) == 0) {
                    assertThat(answers(store, at)).isEqualTo(expected(model, at));
                }
            }
            assertThat(store.keyCount())
                    .isEqualTo(model.range(ALL, ALL, model.revision).size());
            assertThat(events(store)).isEqualTo(expectedEvents(model));
            assertSameHash(store, model);
        }

        private void assertSameHash(MvccStore store, Model model) throws IOException {
            try (MvccStore fresh = MvccStore.open(new MemoryRecordStore())) {
                for (int i = 1; i <= batches.size(); i++) {
                    batches.apply(fresh, i);
                }
                long lowest = Math.max(model.compacted, 1);
                long at = lowest + random.nextInt((int) (model.revision - lowest) + 1);
                if (store.compactionHash(at) == null) {
                    assertThat(store.hash(at, () -> false)).isEqualTo(fresh.hash(at, () -> false));
                }
                assertThat(store.hash(0, () -> false)).isEqualTo(fresh.hash(0, () -> false));
            }
        }

        private Map<String, String> rows(MvccStore store) {
            Map<String, String> rows = new HashMap<>();
            for (int type = 0; type < 3; type++) {
                for (Row row : store.rows(type)) {
                    rows.put(type + "/" + new String(row.id(), UTF_8), "" + row.body().length);
                }
            }
            return rows;
        }

        private List<String> answers(MvccStore store, long at) {
            return store.range(all().atRevision(at)).kvs().stream()
                    .map(kv -> {
                        byte[] copy = new byte[kv.encodedLength()];
                        kv.copyEncoded(copy, 0, copy.length);
                        return HexFormat.of().formatHex(copy);
                    })
                    .toList();
        }

        private List<String> expected(Model model, long at) {
            return model.range(ALL, ALL, at).stream()
                    .map(entry -> HexFormat.of().formatHex(KeyValues.encode(entry)))
                    .toList();
        }

        private List<String> events(MvccStore store) {
            List<String> events = new ArrayList<>();
            store.scan(Math.max(state.model.compacted + 1, 0), state.model.revision, change -> {
                events.add(HexFormat.of().formatHex(change.keyValue()));
                return true;
            });
            return events;
        }

        private List<String> expectedEvents(Model model) {
            return model.events.stream()
                    .filter(event -> event.now().mod() > model.compacted)
                    .map(event -> HexFormat.of().formatHex(KeyValues.encode(event.now())))
                    .toList();
        }
    }
}
