/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.mvcc.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random writers, clients, slow streams, compactions, changes that are not listed and tiny limits against {@link CheckedSink}. Everything
 * runs in one thread: the loop and the reader are queues, and the seed says whose task is next. More seeds than usual:
 * {@code -Dnightjar.seeds=5000}.
 */
class WatchModelTest {
    private static final int STEPS = 1500;
    private static final String[] KEYS = {"a", "a/1", "a/2", "b", "c\\xff", "d"};

    private final Counters totals = new Counters();

    /** One run. */
    private static final class Run {
        final Random random;
        final MemoryStore store = new MemoryStore();
        final TaskQueue loop = new TaskQueue();
        final TaskQueue reader = new TaskQueue();
        final ManualTimer timer = new ManualTimer(loop);
        final Counters counters = new Counters();
        final OvertakenHistory history;
        final WatchableStore watchable;
        final WatchShard shard;
        final List<WatchStream> streams = new ArrayList<>();
        final List<CheckedSink> sinks = new ArrayList<>();
        final List<CheckedSink> allSinks = new ArrayList<>();
        final WatcherQuota quota = new WatcherQuota(1000);

        Run(Random random) {
            this.random = random;
            WatchLimits limits = limits();
            history = new OvertakenHistory(limits.historyBytes(), store.publishedRevision());
            watchable = new WatchableStore(store, limits, counters, history);
            shard = watchable.openShard(new WatchEnvironment(loop, reader, timer, timer::now, random));
        }

        private WatchLimits limits() {
            return new WatchLimits(
                    small(3000),
                    new WatchLimits.Turn(small(10), small(200), small(5)),
                    new WatchLimits.CatchUp(small(10), small(200), small(5), random.nextInt(6)),
                    new WatchLimits.Revision(small(1000), small(1500), small(80), small(4)),
                    new WatchLimits.Stream(1000, 1000, small(200), 20 + small(100), 1000),
                    Duration.ofMillis(10));
        }

        private int small(int most) {
            return 1 + random.nextInt(most);
        }

        void step() {
            switch (random.nextInt(40)) {
                case 0, 1, 2, 3, 4, 5, 6, 7 -> write(true);
                case 8 -> {
                    if (random.nextInt(4) == 0) {
                        store.duringScan(this::compact);
                    } else {
                        compact();
                    }
                }
                case 9, 10 -> create();
                case 11 -> cancel();
                case 12 -> progress();
                case 13, 14, 15 -> room();
                case 16 -> timer.advance(Duration.ofMillis(small(10)).toNanos());
                case 17 -> {
                    if (random.nextInt(10) == 0) {
                        close();
                    }
                }
                case 18 -> {
                    if (random.nextInt(10) == 0) {
                        omit();
                    }
                }
                case 19 -> history.before(small(10), this::burst);
                case 20, 21, 22 -> reader.runOne();
                default -> loop.runOne();
            }
            sinks.forEach(CheckedSink::endOfTask);
        }

        private void write(boolean listed) {
            List<MemoryStore.Op> ops = new ArrayList<>();
            for (String key : KEYS) {
                if (random.nextInt(KEYS.length) == 0) {
                    String value = random.nextInt(3) == 0 ? null : "x".repeat(random.nextInt(30));
                    ops.add(new MemoryStore.Op(key, value));
                }
            }
            List<Change> changes = store.write(ops);
            if (!changes.isEmpty()) {
                if (listed) {
                    watchable.append(changes);
                }
                store.publish();
                if (listed) {
                    watchable.wake();
                }
            }
        }

        private void burst() {
            for (int i = small(10); i > 0; i--) {
                write(true);
            }
        }

        private void compact() {
            long from = Math.max(1, store.compactedRevision() + 1);
            if (from <= store.publishedRevision()) {
                long revision = from + random.nextInt((int) (store.publishedRevision() - from) + 1);
                watchable.compacting(revision);
                if (random.nextBoolean()) {
                    loop.runOne();
                }
                store.compact(revision);
            }
            if (random.nextBoolean()) {
                store.dropCompacted();
            }
        }

        private void create() {
            if (streams.size() < 3) {
                CheckedSink sink = new CheckedSink(store);
                streams.add(shard.openStream(sink, quota));
                sinks.add(sink);
                allSinks.add(sink);
            }
            int index = random.nextInt(streams.size());
            byte[] key = MemoryStore.bytes(KEYS[random.nextInt(KEYS.length)]).toByteArray();
            byte[] end = MemoryStore.bytes(List.of("", "b", "\\x00", "a0", "c").get(random.nextInt(5)))
                    .toByteArray();
            long published = store.publishedRevision();
            long start = switch (random.nextInt(5)) {
                case 0 -> 0;
                case 1 -> published + random.nextInt(5);
                default -> Math.max(random.nextInt(3) - 1, published - random.nextInt(40));
            };
            WatchCreate request = new WatchCreate(
                    key,
                    end,
                    start,
                    random.nextInt(3) == 0 ? random.nextInt(9) - 1 : 0,
                    new WatchCreate.Options(
                            random.nextBoolean(),
                            random.nextInt(5) == 0,
                            random.nextInt(5) == 0,
                            random.nextBoolean(),
                            random.nextBoolean()));
            sinks.get(index).creating(request);
            streams.get(index).create(request);
        }

        private void cancel() {
            if (!streams.isEmpty()) {
                int index = random.nextInt(streams.size());
                CheckedSink sink = sinks.get(index);
                List<Long> ids = new ArrayList<>(sink.clients().keySet());
                ids.addAll(sink.ended());
                ids.add(random.nextLong());
                streams.get(index).cancel(ids.get(random.nextInt(ids.size())));
            }
        }

        private void progress() {
            if (!streams.isEmpty()) {
                streams.get(random.nextInt(streams.size())).requestProgress();
            }
        }

        private void room() {
            if (!streams.isEmpty()) {
                int index = random.nextInt(streams.size());
                int room = random.nextInt(3) == 0 ? Transcript.UNLIMITED : random.nextInt(5);
                if (sinks.get(index).room(room)) {
                    streams.get(index).writable();
                }
            }
        }

        private void close() {
            if (!streams.isEmpty()) {
                int index = random.nextInt(streams.size());
                streams.remove(index).close();
                sinks.remove(index);
            }
        }

        private void omit() {
            history.before(0, () -> {}); // the apply thread, busy here, is the one that would write
            for (int i = random.nextInt(20); i >= 0; i--) {
                write(false);
            }
            compact();
            watchable.append(List.of(Change.omission(store.publishedRevision())));
            watchable.wake();
        }

        void finish() {
            for (int i = 0; i < streams.size(); i++) {
                if (sinks.get(i).room(Transcript.UNLIMITED)) {
                    streams.get(i).writable();
                }
            }
            int tasks = 0;
            while (loop.runOne() || reader.runOne()) {
                assertThat(++tasks).as("tasks until all is delivered").isLessThan(100_000);
                sinks.forEach(CheckedSink::endOfTask);
            }
            sinks.forEach(CheckedSink::assertComplete);
            int alive = sinks.stream().mapToInt(sink -> sink.clients().size()).sum();
            assertThat(counters.states()).isEqualTo(alive + "/0/0");
            for (int i = 0; i < streams.size(); i++) {
                long before = sinks.get(i).bookmarks;
                streams.get(i).requestProgress();
                boolean someReached = sinks.get(i).clients().values().stream()
                        .anyMatch(client -> client.firstRevision <= store.publishedRevision());
                assertThat(sinks.get(i).bookmarks > before).isEqualTo(someReached || fromNow(sinks.get(i)));
            }
            shard.close();
            assertThat(counters.states()).isEqualTo("0/0/0");
            assertThat(counters.streams).isZero();
        }

        private boolean fromNow(CheckedSink sink) {
            return sink.clients().values().stream().anyMatch(client -> client.request.startRevision() == 0);
        }
    }

    @Test
    void all_promises_hold_under_random_load() {
        long delivered = 0;
        long cancels = 0;
        long longParts = 0;
        long bookmarks = 0;
        for (long seed : Seeds.some(Integer.getInteger("nightjar.seeds", 200))) {
            try {
                Run run = new Run(new Random(seed));
                for (int step = 0; step < STEPS; step++) {
                    run.step();
                }
                run.finish();
                delivered +=
                        run.allSinks.stream().mapToLong(sink -> sink.delivered).sum();
                cancels += run.allSinks.stream().mapToLong(sink -> sink.cancels).sum();
                bookmarks +=
                        run.allSinks.stream().mapToLong(sink -> sink.bookmarks).sum();
                longParts +=
                        run.allSinks.stream().mapToLong(sink -> sink.longParts).sum();
                totals.scans += run.store.scans();
            } catch (AssertionError | RuntimeException e) {
                throw Seeds.failed(seed, "WatchModelTest", e);
            }
        }
        assertThat(delivered).as("the load reaches the interesting places").isPositive();
        assertThat(cancels).isPositive();
        assertThat(longParts).isPositive();
        assertThat(bookmarks).isPositive();
        assertThat(totals.scans).isPositive();
    }
}
