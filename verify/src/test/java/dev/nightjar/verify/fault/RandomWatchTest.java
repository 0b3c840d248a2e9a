/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest.FilterType;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.verify.check.History;
import dev.nightjar.verify.check.Operation;
import dev.nightjar.verify.check.StreamLog;
import dev.nightjar.verify.check.WatchChecks;
import dev.nightjar.verify.check.WatchLog;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.Seeds;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Random load, random watches, random faults: writers, slow and fast readers, watches that are cancelled and taken up again,
 * compactions, restarts asked for and forced. In the end every watch of every stream must have kept every promise.
 */
@OnEveryServer
class RandomWatchTest {
    private static final Logger LOG = LoggerFactory.getLogger(RandomWatchTest.class);
    private static final int SEGMENTS = 6;
    private static final int CLIENTS = 4;
    private static final int WATCHES = 6;

    /** Acknowledgements between two whims: some tenths of a second. */
    private static final int MOST_WRITES = 1_000;

    private static final Duration ANSWER = Duration.ofSeconds(ApiClient.ANSWER_SECONDS);

    @RegisterExtension
    final FreshServer fresh;

    private final long seed = Seeds.seed();
    private final RandomGenerator random = Seeds.generator(seed, -1);
    private final History history = new History();
    private final Ledger ledger = new Ledger();
    private final List<WatchClient> clients = new ArrayList<>();
    private long compacted;

    RandomWatchTest(ServerKind kind) {
        fresh = new FreshServer(kind, "--watch-progress-notify-interval=200ms");
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void every_watch_keeps_its_promises() throws InterruptedException {
        LOG.info("{}", Seeds.replay(RandomWatchTest.class, seed));
        String endpoint = fresh.server().endpoint();
        WatchClient witness = new WatchClient(
                        endpoint,
                        random,
                        List.of(WatchCall.everything().setStartRevision(1).build()))
                .patient();
        clients.add(witness);
        for (int i = 0; i < CLIENTS; i++) {
            RandomGenerator own = Seeds.generator(seed, 10_000 + i);
            clients.add(client(endpoint, own));
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(clients.size())) {
            try {
                List<Future<?>> running = new ArrayList<>();
                clients.forEach(client -> running.add(threads.submit(client)));
                for (int segment = 0; segment < SEGMENTS; segment++) {
                    writeAndBreak(witness, segment);
                }
                long last = lastRevision();
                clients.forEach(client -> client.finish(last));
                for (Future<?> client : running) {
                    client.get();
                }
                judge(witness, last);
            } finally {
                clients.forEach(WatchClient::abandon);
            }
        } catch (ExecutionException | AssertionError | RuntimeException e) {
            throw new AssertionError(Seeds.replay(RandomWatchTest.class, seed), e);
        }
    }

    /**
     * On Nightjar clients ask for progress. etcd sends created responses past its queue of events, so that an answer which
     * speaks for all watches can follow the creation of one that it does not know of: there, only periodic progress is used.
     */
    private WatchClient client(String endpoint, RandomGenerator random) {
        List<WatchCreateRequest> watches = watches(random);
        return switch (fresh.kind()) {
            case NIGHTJAR -> new WatchClient(endpoint, random, watches).asking();
            case ETCD ->
                new WatchClient(
                        endpoint,
                        random,
                        watches.stream()
                                .map(watch -> watch.toBuilder()
                                        .setProgressNotify(true)
                                        .build())
                                .toList());
        };
    }

    private static List<WatchCreateRequest> watches(RandomGenerator random) {
        List<WatchCreateRequest> watches = new ArrayList<>();
        for (int i = 0; i < WATCHES; i++) {
            String prefix = Load.PREFIXES.get(random.nextInt(Load.PREFIXES.size()));
            WatchCreateRequest.Builder watch = switch (random.nextInt(4)) {
                case 0 -> WatchCall.everything();
                case 1 -> WatchCall.key(prefix + random.nextInt(12));
                case 2 -> WatchCall.key("b/").setRangeEnd(WatchCall.key("d/5").getKey());
                default -> WatchCall.prefix(prefix);
            };
            watch.setPrevKv(random.nextBoolean())
                    .setFragment(random.nextBoolean())
                    .setProgressNotify(random.nextBoolean());
            switch (random.nextInt(6)) {
                case 0 -> watch.addFilters(FilterType.NOPUT);
                case 1 -> watch.addFilters(FilterType.NODELETE);
                default -> {}
            }
            watches.add(watch.build());
        }
        return watches;
    }

    /** Writes for a while, compacting now and then, and ends with a fault or an orderly restart. */
    private void writeAndBreak(WatchClient witness, int segment) {
        boolean last = segment == SEGMENTS - 1;
        try (Load _ = new Load(fresh.server().endpoint(), ledger, 4, seed, segment)) {
            int steps = 4 + random.nextInt(6);
            for (int step = 0; step < steps; step++) {
                ledger.awaitMore(1 + random.nextInt(MOST_WRITES), ANSWER);
                if (random.nextInt(3) == 0) {
                    compact(witness);
                }
            }
            if (!last) {
                clients.forEach(client -> client.serverUp(false));
                if (random.nextBoolean()) {
                    fresh.server().kill();
                } else {
                    var _ = fresh.server().terminate();
                }
            }
        }
        if (!last) {
            fresh.server().start();
            clients.forEach(client -> client.serverUp(true));
        }
    }

    /** Compacts up to what the witness has seen, so that at least one tells of every revision. */
    private void compact(WatchClient witness) {
        long revision = witness.knownRevision() - random.nextInt(100);
        if (revision > compacted) {
            compacted = revision;
            try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
                api.compact(revision);
            }
        }
    }

    private long lastRevision() {
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            return api.put("z/end", "");
        }
    }

    private void judge(WatchClient witness, long last) {
        ledger.acknowledged(last, List.of(Operation.put("z/end", "")));
        Map<Long, List<Event>> seen =
                WatchLog.eventsByRevision(witness.streams().stream().flatMap(stream -> stream.watches().stream()));
        ledger.tell(history, last, revision -> seen.getOrDefault(revision, List.of()));
        history.compacted(compacted);
        List<StreamLog> streams =
                clients.stream().flatMap(client -> client.streams().stream()).toList();
        WatchChecks.assertKept(streams, history);
        List<WatchLog> watches =
                streams.stream().flatMap(stream -> stream.watches().stream()).toList();
        long events = watches.stream().mapToLong(watch -> watch.events().size()).sum();
        long overtaken = watches.stream().filter(WatchLog::isCanceled).count();
        LOG.info(
                "{} revisions, compacted at {}, {} streams, {} watches ({} of them cancelled), {} events",
                last,
                compacted,
                streams.size(),
                watches.size(),
                overtaken,
                events);
        assertThat(watches).hasSizeGreaterThan(CLIENTS * WATCHES * 2);
        assertThat(events).isGreaterThan(last);
    }
}
