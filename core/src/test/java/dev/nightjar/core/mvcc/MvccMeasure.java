/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * Measures the store: CPU time of the calling thread, so that a busy machine does not matter much. Not a test; run it
 * by hand: {@code java -cp … dev.nightjar.core.mvcc.MvccMeasure <empty directory> [keys]}.
 */
final class MvccMeasure {

    private static final byte[] ALL = {0};
    private static final int BATCH = 64;

    private final PrintStream out;
    private final Path directory;
    private final int keys;
    private final ByteBuffer value = ByteBuffer.allocate(256);
    private long sum;

    private MvccMeasure(PrintStream out, Path directory, int keys) {
        this.out = out;
        this.directory = directory;
        this.keys = keys;
        new Random(1).nextBytes(value.array());
    }

    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        int keys = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_000_000;
        new MvccMeasure(System.out, directory, keys).run();
    }

    /** Visits all numbers below {@link #keys} in a scattered order. */
    private byte[] key(int i) {
        long scattered = i * 2_654_435_761L % keys;
        return "/registry/pods/ns-%04d/app-%010d-x7f3a"
                .formatted(scattered % 200, scattered)
                .getBytes(UTF_8);
    }

    private void run() throws IOException {
        MvccStore store = open();
        // Twice, so that the second time runs compiled code.
        for (int round = 0; round < 2; round++) {
            puts(store, round);
        }
        out.printf(
                "index, bytes per key outside the heap: %.1f%n",
                (double) store.index().pages().memoryBytes() / keys);
        reads(store);
        replay(store);
        compact(store);
        Path copy = Files.createDirectories(directory.resolve("copy"));
        report("checkpoint, ms", 1_000_000, () -> {
            store.cut();
            store.checkpoint(copy);
        });
        store.close();
        report("reopen, us per record", 1_000L * (3L * keys + keys / 5), () -> open().close());
        out.println(sum);
    }

    private MvccStore open() throws IOException {
        return MvccStore.open(SegmentLog.open(new SegmentLog.Options(
                FileSystem.real(), directory.resolve("store"), SegmentLog.SEGMENT_BYTES, 1, Runnable::run)));
    }

    private void puts(MvccStore store, int round) throws IOException {
        byte[][] names = new byte[keys][];
        for (int i = 0; i < keys; i++) {
            names[i] = key(i);
        }
        report("put, batch of 64, " + (round == 0 ? "new" : "overwrite") + ", us", 1_000L * keys, () -> {
            for (int i = 0; i < keys; i += BATCH) {
                for (int j = i; j < Math.min(keys, i + BATCH); j++) {
                    put(store, names[j]);
                }
                commit(store);
            }
        });
        report("put, batch of 64, 100k hot keys, us", 1_000L * keys / 2, () -> {
            for (int i = 0; i < keys / 2; i += BATCH) {
                for (int j = i; j < i + BATCH; j++) {
                    put(store, names[j % 100_000]);
                }
                commit(store);
            }
        });
        report("put, batch of 1, us", 1_000L * keys / 10, () -> {
            for (int i = 0; i < keys / 10; i++) {
                put(store, names[i]);
                commit(store);
            }
        });
    }

    private void put(MvccStore store, byte[] name) {
        WriteTxn txn = store.begin();
        txn.put(name, value, 0);
        txn.end();
    }

    private void commit(MvccStore store) {
        sum += store.commit(store.appliedIndex() + 1, 1).size();
        store.publish();
    }

    private void reads(MvccStore store) throws IOException {
        int gets = 500_000;
        byte[][] names = new byte[gets][];
        Random random = new Random(2);
        for (int i = 0; i < gets; i++) {
            names[i] = key(random.nextInt(keys));
        }
        byte[] copy = new byte[1024];
        long old = store.publishedRevision() - keys / 10;
        for (int round = 0; round < 2; round++) {
            report("get, newest, us", 1_000L * gets, () -> {
                for (byte[] name : names) {
                    copyAll(store.range(RangeQuery.of(name)).kvs(), copy);
                }
            });
            report("get, old revision, us", 1_000L * gets, () -> {
                for (byte[] name : names) {
                    copyAll(store.range(RangeQuery.of(name).atRevision(old)).kvs(), copy);
                }
            });
            ranges(store, "range of 500, us per key", 500, 0);
            ranges(store, "range of 10k, us per key", 10_000, 0);
            ranges(store, "range of 10k, old revision, us per key", 10_000, old);
            report("count of all, newest, us", 1_000L * 1000, () -> {
                for (int i = 0; i < 1000; i++) {
                    sum += store.range(RangeQuery.range(ALL, ALL).withCountOnly())
                            .count();
                }
            });
            report(
                    "count of all, old revision, ms",
                    1_000_000,
                    () -> sum += store.range(
                                    RangeQuery.range(ALL, ALL).withCountOnly().atRevision(old))
                            .count());
        }
    }

    private void ranges(MvccStore store, String name, int limit, long revision) throws IOException {
        int total = 1_000_000;
        byte[] copy = new byte[1024];
        Random random = new Random(3);
        report(name, 1_000L * total, () -> {
            for (int seen = 0; seen < total; ) {
                List<KvView> kvs = store.range(RangeQuery.range(key(random.nextInt(keys)), ALL)
                                .withLimit(limit)
                                .atRevision(revision))
                        .kvs();
                copyAll(kvs, copy);
                seen += kvs.size();
            }
        });
    }

    private void copyAll(List<KvView> kvs, byte[] target) {
        for (KvView view : kvs) {
            view.copyEncoded(target, 0, view.encodedLength());
            sum += target[0];
        }
    }

    private void replay(MvccStore store) throws IOException {
        for (int round = 0; round < 2; round++) {
            long[] events = {0};
            report(
                    "replay, us per event",
                    1_000L * (store.publishedRevision() - 1),
                    () -> store.scan(2, store.publishedRevision(), change -> {
                        events[0]++;
                        return true;
                    }));
            sum += events[0];
        }
    }

    private void compact(MvccStore store) throws IOException {
        long before = store.sizeInUseBytes();
        store.compact(store.currentRevision() - 1000);
        commit(store);
        long[] longest = {0};
        report("compaction of the index, ms", 1_000_000, () -> {
            boolean more = true;
            while (more) {
                long start = System.nanoTime();
                more = store.compactStep(Long.MAX_VALUE);
                longest[0] = Math.max(longest[0], System.nanoTime() - start);
            }
        });
        out.printf("longest step, us: %d; bytes in use %d -> %d%n", longest[0] / 1000, before, store.sizeInUseBytes());
        long size = store.sizeBytes();
        report("packing, ms", 1_000_000, () -> {
            boolean more = true;
            while (more) {
                more = store.packStep(false);
            }
        });
        out.printf("bytes on disk %d -> %d%n", size, store.sizeBytes());
    }

    private interface Work {
        void run() throws IOException;
    }

    private void report(String name, long divisor, Work work) throws IOException {
        var threads = ManagementFactory.getThreadMXBean();
        long wall = System.nanoTime();
        long cpu = threads.getCurrentThreadCpuTime();
        work.run();
        cpu = threads.getCurrentThreadCpuTime() - cpu;
        wall = System.nanoTime() - wall;
        out.printf("%-45s cpu %8.3f  wall %8.3f%n", name, (double) cpu / divisor, (double) wall / divisor);
    }
}
