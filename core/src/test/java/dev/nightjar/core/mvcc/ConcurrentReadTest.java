/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers, a compacting thread and scans beside the writer, on real files. */
class ConcurrentReadTest {

    private static final byte[] ALL = {0};
    private static final int KEYS = 1000;
    private static final int BATCHES = 400;

    private final AtomicBoolean stop = new AtomicBoolean();

    /** Left by each reader when it has done something beside the writer. */
    private final CountDownLatch idle = new CountDownLatch(4);

    /**
     * Every transaction writes its number into all keys of one of ten groups, and creates or deletes the group's marker.
     * So at any revision all keys of a group hold the same number, and each group has a fixed number of keys.
     */
    @Test
    void readersSeeWholeRevisionsOnly(@TempDir Path directory) throws Exception {
        SegmentLog log =
                SegmentLog.open(new SegmentLog.Options(FileSystem.real(), directory, 1 << 17, 7, Runnable::run));
        try (ExecutorService threads = Executors.newFixedThreadPool(4);
                MvccStore store = MvccStore.open(log)) {
            write(store, 0);
            List<Future<Long>> readers = new ArrayList<>();
            readers.add(threads.submit(() -> readGroups(store, 1)));
            readers.add(threads.submit(() -> readAll(store)));
            readers.add(threads.submit(() -> scan(store)));
            readers.add(threads.submit(() -> compact(store)));
            try {
                boolean allRun = true;
                for (int batch = 1; batch < BATCHES || (allRun && idle.getCount() > 0); batch++) {
                    write(store, batch);
                    allRun = readers.stream().noneMatch(Future::isDone);
                }
            } finally {
                stop.set(true);
            }
            for (Future<Long> reader : readers) {
                assertThat(reader.get()).isPositive();
            }
        }
    }

    private static void write(MvccStore store, int batch) {
        Random random = new Random(batch);
        for (int i = 0; i < (batch == 0 ? 10 : 1 + random.nextInt(3)); i++) {
            int group = batch == 0 ? i : random.nextInt(10);
            WriteTxn txn = store.begin();
            byte[] number = Long.toString(txn.baseRevision() + 1).getBytes(UTF_8);
            for (int key = 0; key < KEYS / 10; key++) {
                txn.put(key(group, key), ByteBuffer.wrap(number), 0);
            }
            byte[] marker = key(group, KEYS);
            if (txn.delete(marker, new byte[0]).count() == 0) {
                txn.put(marker, ByteBuffer.wrap(number), 0);
            }
            txn.end();
        }
        if (batch % 20 == 19) {
            store.compact(store.currentRevision() - 5);
        }
        store.commit(batch + 1, 1);
        store.publish();
    }

    private static byte[] key(int group, int key) {
        return "g%d/%04d".formatted(group, key).getBytes(UTF_8);
    }

    private long readGroups(MvccStore store, long seed) {
        Random random = new Random(seed);
        long reads = 0;
        while (!stop.get()) {
            int group = random.nextInt(10);
            byte[] from = ("g" + group + "/").getBytes(UTF_8);
            byte[] to = ("g" + group + "0").getBytes(UTF_8);
            RangeResult result = store.range(RangeQuery.range(from, to));
            assertThat(result.count()).isEqualTo(result.kvs().size()).isBetween(100L, 101L);
            assertGroup(result.kvs());
            RangeResult again = rangeAt(store, RangeQuery.range(from, to), result.revision());
            if (again.count() > 0) {
                assertThat(again.count()).isEqualTo(result.count());
                assertGroup(again.kvs());
                assertThat(again.kvs().getFirst().value())
                        .isEqualTo(result.kvs().getFirst().value());
            }
            reads = count(reads);
        }
        return reads;
    }

    /** One more. */
    private long count(long before) {
        if (before == 0) {
            idle.countDown();
        }
        return before + 1;
    }

    private static RangeResult rangeAt(MvccStore store, RangeQuery query, long revision) {
        try {
            return store.range(query.atRevision(revision));
        } catch (RevisionCompactedException e) {
            return new RangeResult(revision, 0, false, List.of());
        }
    }

    private static void assertGroup(List<KvView> kvs) {
        ByteBuffer number = kvs.getFirst().value();
        for (KvView view : kvs.subList(0, 100)) {
            assertThat(view.value()).isEqualTo(number);
            assertThat(view.modRevision())
                    .isEqualTo(Long.parseLong(UTF_8.decode(view.value()).toString()));
        }
    }

    /** Reads of many chunks are never overtaken by compaction. */
    private long readAll(MvccStore store) {
        long reads = 0;
        while (!stop.get()) {
            RangeResult result = store.range(RangeQuery.range(ALL, ALL));
            assertThat(result.count()).isEqualTo(result.kvs().size()).isBetween(1000L, 1010L);
            int at = 0;
            for (int group = 0; group < 10; group++) {
                assertGroup(result.kvs().subList(at, at + 100));
                at += 100;
                if (at < result.kvs().size() && new String(result.kvs().get(at).key(), UTF_8).endsWith("/" + KEYS)) {
                    at++;
                }
            }
            assertThat(at).isEqualTo(result.kvs().size());
            reads = count(reads);
        }
        return reads;
    }

    private long scan(MvccStore store) {
        long scans = 0;
        long next = 2;
        while (!stop.get()) {
            long to = store.publishedRevision();
            long[] last = {0, 0};
            long from = next;
            long reached = store.scan(from, to, change -> {
                last[0] = change.revision();
                last[1]++;
                return true;
            });
            if (reached < 0) {
                next = store.compactedRevision();
                continue;
            }
            assertThat(reached).isEqualTo(to + 1);
            assertThat(last[1]).isEqualTo((to - from + 1) * 101);
            assertThat(last[0]).isEqualTo(last[1] == 0 ? 0 : to);
            next = to + 1;
            scans = count(scans);
        }
        return scans;
    }

    private long compact(MvccStore store) throws IOException {
        long steps = 0;
        long packed = 0;
        while (!stop.get()) {
            store.compactStep(Long.MAX_VALUE);
            packed = store.packStep(false) ? count(packed) : packed;
            steps++;
        }
        assertThat(packed).isPositive();
        return steps;
    }
}
