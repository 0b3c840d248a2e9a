/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.HashKVRequest;
import dev.nightjar.api.etcdserverpb.HashKVResponse;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.api.mvccpb.KeyValue;
import dev.nightjar.verify.check.History;
import dev.nightjar.verify.check.StreamLog;
import dev.nightjar.verify.check.WatchChecks;
import dev.nightjar.verify.check.WatchLog;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.Commands;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.NightjarProcess;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.Seeds;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ServerUnderTest;
import dev.nightjar.verify.driver.WatchCall;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Kill -9 in mid-load, again and again on one data directory, while the server compacts, packs files, saves images of its
 * index and takes snapshots. After each restart: no acknowledged write is lost, none happened twice, revisions have no gap,
 * and a watch from the first kept revision tells exactly what happened.
 */
@OnEveryServer
class KillTest {
    private static final int ROUNDS = 50;
    /** On a slow machine the kill comes more often before the work that it is to hit: then there are more rounds. */
    private static final int MOST_ROUNDS = 3 * ROUNDS;
    /** Enough to see that the test asks nothing that etcd does not do. */
    private static final int ROUNDS_OF_ETCD = 10;

    private static final int WRITERS = 6;
    /** In one of so many rounds {@code nightjar store verify} looks at the files; it takes as long as a start. */
    private static final int CHECKED_ROUNDS = 10;
    /** Acknowledgements between two disturbances: some tenths of a second. */
    private static final int MOST_WRITES = 60;
    /** So few entries between snapshots, and so small segments of the store, that each round has its own. */
    private static final String SNAPSHOTS = "--snapshot-count=25";

    private static final String SEGMENTS = "-Dnightjar.test.segment-bytes=65536";
    /** What the log of all rounds must tell, and how often at least, so that the kills had something to hit. */
    private static final Map<String, Integer> WORK =
            Map.of("saved index image", ROUNDS / 4, "saved snapshot", ROUNDS / 4, "finished scheduled compaction", 5);

    /** More than a server prints before it is ready. */
    private static final int MOST_LINES = 25;

    private static final Duration ANSWER = Duration.ofSeconds(ApiClient.ANSWER_SECONDS);

    @RegisterExtension
    final FreshServer fresh;

    private final long seed = Seeds.seed();
    private final RandomGenerator random = Seeds.generator(seed, -1);
    private final History history = new History();
    private final Ledger ledger = new Ledger();
    /** The first revision that the store must still know; a fresh store makes revision 2 with its first write. */
    private long keptRevision = 2;
    /** What was read just before the last kill. */
    private HashKVResponse rememberedHash = HashKVResponse.getDefaultInstance();

    private Map<ByteString, KeyValue> remembered = Map.of();

    KillTest(ServerKind kind) {
        fresh = new FreshServer(kind, SNAPSHOTS, SEGMENTS);
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void nothing_acknowledged_is_lost() {
        try {
            int rounds = fresh.kind() == ServerKind.NIGHTJAR ? ROUNDS : ROUNDS_OF_ETCD;
            for (int round = 0; round < rounds || (round < MOST_ROUNDS && !hasDoneItsWork()); round++) {
                writeAndKill(round);
                if (round % CHECKED_ROUNDS == 0 && fresh.kind() == ServerKind.NIGHTJAR) {
                    checkFiles();
                }
                restart();
                verify();
            }
            assertThat(ledger.acknowledgements()).as("writes in all").isGreaterThan(rounds * 5L);
            assertThat(hasDoneItsWork()).as("%s", WORK).isTrue();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(Seeds.replay(KillTest.class, seed), e);
        }
    }

    private void writeAndKill(int round) {
        try (Load _ = new Load(fresh.server().endpoint(), ledger, WRITERS, seed, round)) {
            ledger.awaitMore(1 + random.nextInt(MOST_WRITES), ANSWER);
            boolean soon = false;
            if (random.nextInt(2) == 0) {
                compact();
                soon = random.nextBoolean();
            }
            // Compaction, packing and an image take some milliseconds each, one after the other.
            ledger.awaitMore(random.nextInt(soon ? 10 : MOST_WRITES / 2), ANSWER);
            remember();
            fresh.server().kill();
        }
    }

    /** Takes the hash of the history and reads all at one revision, in order to find the same after the restart. */
    private void remember() {
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            rememberedHash = hash(api, 0);
            remembered = everything(api, rememberedHash.getHashRevision());
        }
    }

    private static HashKVResponse hash(ApiClient api, long revision) {
        HashKVRequest request = HashKVRequest.newBuilder().setRevision(revision).build();
        return api.maintenance().hashKV(request).toBuilder().clearHeader().build();
    }

    /** Looks at what the kill has left, before a start puts it right. */
    private void checkFiles() {
        Commands.Result result = NightjarProcess.run(
                ANSWER, "store", "verify", "--data-dir=" + fresh.server().dataDirectory());
        assertThat(result.exitCode()).as(result.output() + result.errors()).isZero();
    }

    private boolean hasDoneItsWork() {
        if (fresh.kind() == ServerKind.ETCD) {
            return true;
        }
        try (Stream<String> lines = Files.lines(fresh.server().logFile())) {
            List<String> all = lines.toList();
            return WORK.entrySet().stream()
                    .allMatch(work -> all.stream()
                                    .filter(line -> line.contains(work.getKey()))
                                    .count()
                            >= work.getValue());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Compacts what the last round left; sometimes the kill comes while the server is at it. */
    private void compact() {
        long revision = history.revision() - random.nextInt(20);
        if (revision <= keptRevision) {
            return;
        }
        keptRevision = revision;
        history.compacted(revision);
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            api.compact(revision);
        } catch (StatusRuntimeException e) {
            throw new AssertionError("compaction at " + revision + " was refused", e);
        }
    }

    /** Starts the server again; sometimes it is killed once more before it is ready. */
    private void restart() {
        if (random.nextInt(8) == 0) {
            fresh.server().launch();
            fresh.server().output().awaitLinesOr(ServerUnderTest.READY, random.nextInt(MOST_LINES));
            fresh.server().kill();
        }
        fresh.server().start();
    }

    private void verify() {
        try (ApiClient api = new ApiClient(fresh.server().endpoint());
                WatchCall call = WatchCall.open(api)) {
            long revision = api.revision();
            StreamLog log = replay(call, revision);
            Map<Long, List<Event>> seen = WatchLog.eventsByRevision(log.watches().stream());
            ledger.tell(history, revision, at -> seen.getOrDefault(at, List.of()));
            WatchChecks.assertKept(List.of(log), history);
            assertThat(log.watches().getFirst().lastKnownRevision()).isEqualTo(revision);
            assertThat(everything(api, 0)).isEqualTo(Map.copyOf(history.live()));
            long before = rememberedHash.getHashRevision();
            assertThat(hash(api, before)).as("the hash of before the kill").isEqualTo(rememberedHash);
            assertThat(everything(api, before))
                    .as("all at revision %d as before the kill", before)
                    .isEqualTo(remembered);
        }
    }

    private StreamLog replay(WatchCall call, long revision) {
        WatchCreateRequest.Builder watch =
                WatchCall.everything().setStartRevision(keptRevision).setPrevKv(true);
        StreamLog log = new StreamLog();
        log.asked(watch.build());
        call.create(watch);
        log.accept(call.next());
        WatchLog told = log.watches().getFirst();
        while (!told.isCanceled() && told.lastKnownRevision() < revision) {
            log.accept(call.poll(ANSWER)
                    .orElseThrow(() -> new AssertionError("a watch from %d stays at %d, the store is at %d"
                            .formatted(keptRevision, told.lastKnownRevision(), revision))));
        }
        return log;
    }

    private static Map<ByteString, KeyValue> everything(ApiClient api, long revision) {
        Map<ByteString, KeyValue> live = new HashMap<>();
        RangeRequest all = RangeRequest.newBuilder()
                .setKey(ApiClient.ZERO)
                .setRangeEnd(ApiClient.ZERO)
                .setRevision(revision)
                .build();
        api.kv().range(all).getKvsList().forEach(kv -> live.put(kv.getKey(), kv));
        return live;
    }
}
