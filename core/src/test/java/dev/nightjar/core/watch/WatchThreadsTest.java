/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.mvcc.Change;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A writer, two loops and a reader, each a real thread, over a recent history that is always too short. */
class WatchThreadsTest {
    private static final long REVISIONS = 120_000;
    private static final int HISTORY_BYTES = 12_000;

    private final ExecutorService reader = Executors.newSingleThreadExecutor();
    private final List<ExecutorService> loops =
            List.of(Executors.newSingleThreadExecutor(), Executors.newSingleThreadExecutor());
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final SequenceStore store = new SequenceStore();

    @AfterEach
    void stop() {
        loops.forEach(ExecutorService::shutdownNow);
        reader.shutdownNow();
    }

    /** How soon a client that is full takes more; the stopped one waits for the writer to end. */
    private enum Pace {
        FAST,
        SLOW,
        STOPPED
    }

    /** Keeps what a task throws, and lets nobody wait for what will not come. */
    private Executor guarded(Executor executor, CountDownLatch done) {
        return task -> executor.execute(() -> {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                failures.add(e);
                while (done.getCount() > 0) {
                    done.countDown();
                }
            }
        });
    }

    /** Checks the sequence of each watcher, stalls at random, and takes up again what was compacted. Loop only. */
    private final class Client implements ShortResponses {
        private final Executor loop;
        private final Random random;
        private final Pace pace;
        private final CountDownLatch done;
        private final Map<Long, Long> nextRevisions = new HashMap<>();
        private final Set<Long> live = new HashSet<>();
        private final WatchStream stream;
        private int room = 10;
        private boolean stalled;
        private int cancels;

        Client(WatchShard shard, Executor loop, Random random, Pace pace, CountDownLatch done) {
            this.loop = loop;
            this.random = random;
            this.pace = pace;
            this.done = done;
            stream = shard.openStream(this, new WatcherQuota(1000));
        }

        void watch(long key) {
            long start = key + SequenceStore.KEYS; // the first revision of that key above 1
            nextRevisions.put(key, start);
            create(key, start);
        }

        private void create(long key, long start) {
            stream.create(new WatchCreate(
                    SequenceStore.key(key),
                    new byte[0],
                    start,
                    key,
                    new WatchCreate.Options(false, false, false, true, false)));
        }

        @Override
        public boolean isWritable() {
            if (room > 0) {
                return true;
            }
            if (!stalled) {
                stalled = true;
                loop.execute(this::resume);
            }
            return false;
        }

        private void resume() {
            boolean stays = switch (pace) {
                case FAST -> false;
                case SLOW -> random.nextInt(50) != 0;
                case STOPPED -> true;
            };
            if (stays && store.publishedRevision() < REVISIONS) {
                loop.execute(this::resume);
                return;
            }
            stalled = false;
            room = 1 + random.nextInt(100);
            stream.writable();
        }

        @Override
        public int headerBytes(long revision) {
            return 0;
        }

        @Override
        public void created(long watchId, long revision) {
            assertThat(live.add(watchId)).isTrue();
        }

        @Override
        public void rejected(String reason, long revision) {
            throw new AssertionError(reason);
        }

        @Override
        public void canceled(long watchId, long revision) {
            throw new AssertionError("nobody canceled " + watchId);
        }

        @Override
        public void compacted(long watchId, long compactRevision) {
            cancels++;
            assertThat(live.remove(watchId)).isTrue();
            long next = nextRevisions.getOrDefault(watchId, 0L);
            assertThat(next - SequenceStore.KEYS).isLessThan(compactRevision);
            long behind = Math.floorMod(watchId - compactRevision, SequenceStore.KEYS);
            nextRevisions.put(watchId, compactRevision + behind);
            loop.execute(() -> create(watchId, compactRevision));
        }

        @Override
        public void progress(long watchId, long revision) {
            nextRevisions.forEach((id, next) -> {
                if (id == watchId || (watchId == WatchStream.NO_WATCHER && live.contains(id))) {
                    assertThat(next).as("next of watcher %d", id).isGreaterThan(revision);
                }
            });
        }

        @Override
        public void events(long watchId, long headerRevision, EventBatch batch, boolean fragment) {
            room--;
            long next = nextRevisions.getOrDefault(watchId, 0L);
            for (int i = 0; i < batch.size(); i++) {
                Change change = batch.change(i);
                assertThat(change.revision()).as("watcher %d", watchId).isEqualTo(next);
                byte[] previous = batch.previous(i);
                if (previous != null) {
                    assertThat(previous).isEqualTo(SequenceStore.value(next - SequenceStore.KEYS));
                }
                next += SequenceStore.KEYS;
            }
            nextRevisions.put(watchId, next);
            if (next > REVISIONS) {
                done.countDown();
            }
        }

        @Override
        public void flush() {
            // progress and events must not overtake each other; asking now and then would show it
            if (random.nextInt(100) == 0) {
                loop.execute(stream::requestProgress);
            }
        }

        @Override
        public void fail(Throwable cause) {
            throw new AssertionError(cause);
        }
    }

    @Test
    void every_watcher_gets_its_whole_sequence_whatever_the_threads_do() throws InterruptedException {
        long seed = Seeds.some(2)[0];
        int perShard = Pace.values().length;
        CountDownLatch done = new CountDownLatch(loops.size() * perShard * (SequenceStore.KEYS - 1));
        WatchableStore watchable =
                new WatchableStore(store, WatchLimits.DEFAULT, WatchObserver.NONE, new EventHistory(HISTORY_BYTES, 1));
        List<Client> clients = new ArrayList<>();
        CountDownLatch ready = new CountDownLatch(loops.size());
        for (ExecutorService thread : loops) {
            Executor loop = guarded(thread, done);
            WatchShard shard = watchable.openShard(new WatchEnvironment(
                    loop, guarded(reader, done), (task, delay) -> {}, System::nanoTime, new Random(seed)));
            loop.execute(() -> {
                for (int i = 0; i < perShard; i++) {
                    Client client = new Client(shard, loop, new Random(seed + i), Pace.values()[i], done);
                    for (int key = 1; key < SequenceStore.KEYS; key++) {
                        client.watch(key);
                    }
                    synchronized (clients) {
                        clients.add(client);
                    }
                }
                ready.countDown();
            });
        }
        assertThat(ready.await(60, TimeUnit.SECONDS)).isTrue();
        for (long revision = 2; revision <= REVISIONS; revision++) {
            watchable.append(SequenceStore.changes(revision));
            store.publish(revision);
            watchable.wake();
            if (revision % 20_000 == 0) {
                watchable.compacting(revision - 5000);
                store.compact(revision - 5000);
            }
        }
        assertThat(done.await(500, TimeUnit.SECONDS)).as("seed %d", seed).isTrue();
        for (Throwable failure : failures) {
            throw Seeds.failed(seed, "WatchThreadsTest", failure);
        }
        synchronized (clients) {
            assertThat(clients)
                    .filteredOn(client -> client.pace == Pace.STOPPED)
                    .allMatch(client -> client.cancels > 0);
        }
    }
}
