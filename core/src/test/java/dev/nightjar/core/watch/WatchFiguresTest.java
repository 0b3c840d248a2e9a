/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.mvcc.Change;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory of idle watchers, always; times on request, as they mean nothing on a busy machine:
 * {@code ./mvnw -pl core -am test -Dsurefire.failIfNoSpecifiedTests=false -Dtest=WatchFiguresTest -Dnightjar.excludedTags=none}.
 */
class WatchFiguresTest {
    private static final Logger LOG = LoggerFactory.getLogger(WatchFiguresTest.class);
    private static final int STREAMS = 100;
    private static final int WATCHERS_PER_STREAM = 1000;

    /** Structure, watcher and key of 31 bytes. */
    private static final long BYTES_PER_WATCHER_LIMIT = 260;

    private final SequenceStore store = new SequenceStore();
    private final TaskQueue loop = new TaskQueue();
    private final WatchableStore watchable = new WatchableStore(store, WatchLimits.DEFAULT, WatchObserver.NONE);
    private final WatchShard shard =
            watchable.openShard(new WatchEnvironment(loop, loop, (task, delay) -> {}, System::nanoTime, new Random(1)));

    /** Does what a server does at least: encodes the events once, and copies them for each watcher. */
    private static final class CopyingSink implements ShortResponses {
        private static final byte[] HEADER = new byte[40];
        private final ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 16);
        int created;
        int room = Integer.MAX_VALUE;
        long events;

        @Override
        public boolean isWritable() {
            return room > 0;
        }

        @Override
        public int headerBytes(long revision) {
            return HEADER.length;
        }

        @Override
        public void created(long watchId, long revision) {
            created++;
        }

        @Override
        public void rejected(String reason, long revision) {
            throw new AssertionError(reason);
        }

        @Override
        public void canceled(long watchId, long revision) {
            created--;
        }

        @Override
        public void compacted(long watchId, long compactRevision) {
            throw new AssertionError("compacted");
        }

        @Override
        public void progress(long watchId, long revision) {
            throw new AssertionError("nobody asked");
        }

        @Override
        public void events(long watchId, long headerRevision, EventBatch batch, boolean fragment) {
            byte[] encoded = batch.encoded();
            if (encoded == null) {
                encoded = encode(batch);
                batch.keepEncoded(encoded);
            }
            out.write(HEADER, 0, HEADER.length);
            out.write(encoded, 0, encoded.length);
            if (out.size() >= 32 * 1024) {
                out.reset();
            }
            events += batch.size();
            room--;
        }

        private static byte[] encode(EventBatch batch) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int i = 0; i < batch.size(); i++) {
                bytes.writeBytes(batch.change(i).keyValue());
            }
            return bytes.toByteArray();
        }

        @Override
        public void flush() {
            out.reset();
        }

        @Override
        public void fail(Throwable cause) {
            throw new AssertionError(cause);
        }
    }

    private static byte[] key(int number) {
        return "/registry/pods/ns-%03d/pod-%07d".formatted(number % 100, number).getBytes(StandardCharsets.US_ASCII);
    }

    private static WatchCreate create(byte[] key) {
        return new WatchCreate(key, new byte[0], 0, 0, new WatchCreate.Options(true, false, false, false, false));
    }

    private List<WatchStream> idleWatchers(CopyingSink sink) {
        List<WatchStream> streams = new ArrayList<>();
        WatcherQuota quota = new WatcherQuota(Integer.MAX_VALUE);
        for (int i = 0; i < STREAMS; i++) {
            streams.add(shard.openStream(sink, quota));
        }
        for (int i = 0; i < STREAMS * WATCHERS_PER_STREAM; i++) {
            streams.get(i % STREAMS).create(create(key(i)));
        }
        return streams;
    }

    private void run() {
        boolean ran = true;
        while (ran) {
            ran = loop.runOne();
        }
    }

    @Test
    void an_idle_watcher_takes_little_memory_and_gives_it_back() {
        long before = usedBytes();
        CopyingSink sink = new CopyingSink();
        List<WatchStream> streams = idleWatchers(sink);
        run();
        long perWatcher = (usedBytes() - before) / (STREAMS * WATCHERS_PER_STREAM);
        figure("bytes per idle watcher", Long.toString(perWatcher));
        assertThat(sink.created).isEqualTo(STREAMS * WATCHERS_PER_STREAM);
        assertThat(perWatcher).isLessThan(BYTES_PER_WATCHER_LIMIT);
        streams.forEach(stream -> {
            for (int id = 0; id < WATCHERS_PER_STREAM; id++) {
                stream.cancel(id);
            }
        });
        assertThat(usedBytes() - before).as("left after all were canceled").isLessThan(1 << 20);
        assertThat(streams).hasSize(STREAMS);
    }

    @Test
    @Tag("figures")
    void time_of_one_key_watched_by_a_thousand() {
        CopyingSink sink = new CopyingSink();
        WatcherQuota quota = new WatcherQuota(Integer.MAX_VALUE);
        byte[] key = key(1);
        for (int i = 0; i < 10; i++) {
            WatchStream stream = shard.openStream(sink, quota);
            for (int j = 0; j < 100; j++) {
                stream.create(create(key));
            }
        }
        run();
        long revision = 1;
        for (int batch : new int[] {1, 1, 1, 10, 100}) {
            long events = sink.events;
            long start = System.nanoTime();
            for (int turn = 0; turn < 20_000 / batch; turn++) {
                revision = write(revision, key, batch);
                run();
            }
            long nanos = System.nanoTime() - start;
            figure(
                    "ns per delivered event, " + batch + " revisions a turn",
                    Long.toString(nanos / (sink.events - events)));
        }
    }

    @Test
    @Tag("figures")
    void time_of_streams_that_are_always_full() {
        WatcherQuota quota = new WatcherQuota(Integer.MAX_VALUE);
        byte[] key = key(1);
        List<CopyingSink> sinks = new ArrayList<>();
        List<WatchStream> streams = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            CopyingSink sink = new CopyingSink();
            WatchStream stream = shard.openStream(sink, quota);
            for (int j = 0; j < 100; j++) {
                stream.create(create(key));
            }
            sinks.add(sink);
            streams.add(stream);
        }
        run();
        for (int round = 0; round < 3; round++) {
            long before = sinks.stream().mapToLong(sink -> sink.events).sum();
            long start = System.nanoTime();
            for (int i = 0; i < 20_000; i++) {
                write(store.publishedRevision(), key, 1);
                run();
                int chosen = i % streams.size();
                sinks.get(chosen).room = 100;
                streams.get(chosen).writable();
                run();
            }
            long events = sinks.stream().mapToLong(sink -> sink.events).sum() - before;
            figure("ns per event to streams that are always full", Long.toString((System.nanoTime() - start) / events));
        }
    }

    @Test
    @Tag("figures")
    void time_of_many_keys_watched_by_one_each() {
        CopyingSink sink = new CopyingSink();
        for (int round = 0; round < 3; round++) {
            long start = System.nanoTime();
            List<WatchStream> streams = idleWatchers(sink);
            run();
            figure("ns per create", Long.toString((System.nanoTime() - start) / (STREAMS * WATCHERS_PER_STREAM)));
            Random random = new Random(round);
            byte[][] keys = new byte[2 * STREAMS * WATCHERS_PER_STREAM][];
            for (int i = 0; i < keys.length; i++) {
                keys[i] = key(i);
            }
            for (boolean watched : new boolean[] {false, true}) {
                long revision = store.publishedRevision();
                int writes = 200_000;
                start = System.nanoTime();
                for (int i = 0; i < writes; i++) {
                    int number = random.nextInt(STREAMS * WATCHERS_PER_STREAM);
                    revision = write(revision, keys[watched ? number : keys.length / 2 + number], 1);
                    run();
                }
                figure(
                        watched ? "ns per write watched by one" : "ns per write watched by nobody",
                        Long.toString((System.nanoTime() - start) / writes));
            }
            start = System.nanoTime();
            streams.forEach(WatchStream::close);
            figure("ns per close", Long.toString((System.nanoTime() - start) / (STREAMS * WATCHERS_PER_STREAM)));
        }
    }

    private long write(long published, byte[] key, int count) {
        long revision = published;
        for (int i = 0; i < count; i++) {
            revision++;
            watchable.append(List.of(new Change(revision, false, key, new byte[300], 0)));
        }
        store.publish(revision);
        watchable.wake();
        return revision;
    }

    private static void figure(String name, String value) {
        LOG.info("figure: {} {}", name, value);
    }

    private static long usedBytes() {
        Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
