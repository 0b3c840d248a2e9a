/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.WatchRequest;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.Await;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerHttp;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ServerMemory;
import dev.nightjar.verify.driver.WatchCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What watches cost the server's process. The bounds are Nightjar's; on etcd the figures are only told. Before each measure
 * the process is asked to give back what it does not need, so that garbage is not counted as cost.
 */
@OnEveryServer
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class MemoryTest {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryTest.class);
    private static final String WATCHERS = "etcd_debugging_mvcc_watcher_total";
    private static final long MEBIBYTE = 1 << 20;

    private static final int STREAMS = 100;
    private static final int WATCHES_OF_A_STREAM = 1_000;
    private static final long IDLE_WATCHES_BOUND = 60 * MEBIBYTE;

    /** What closed watches may leave in the heap: tables that grew and are kept for the next ones. */
    private static final long HEAP_REST_BOUND = 8 * MEBIBYTE;

    /** What the first crowd may leave of the resident memory: besides tables, code that was loaded and compiled meanwhile. */
    private static final long FIRST_REST_BOUND = 30 * MEBIBYTE;

    /** What a further crowd may leave, for which the code is there already. */
    private static final long NEXT_REST_BOUND = 8 * MEBIBYTE;

    /** So often the process is asked to give back what closed watches held. */
    private static final int MOST_COLLECTIONS = 4;

    private static final int UNREAD_STREAMS = 50;
    private static final int VALUE = 64 << 10;
    private static final int PUTS = 400;

    /** For each stream: what the server queues (1 MiB), and the window of the connection that is full. */
    private static final long UNREAD_STREAM_BOUND = 2 * MEBIBYTE;

    @RegisterExtension
    final FreshServer fresh;

    MemoryTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void idle_watches_cost_little_and_give_it_back() {
        crowd(1, 100);
        long before = settled().residentBytes();
        OptionalLong heapBefore = fresh.server().liveHeapBytes();
        long first = crowd(STREAMS, WATCHES_OF_A_STREAM) - before;
        long between = settledBelow(before + FIRST_REST_BOUND);
        long second = crowd(STREAMS, WATCHES_OF_A_STREAM) - between;
        long rest = settledBelow(between + NEXT_REST_BOUND) - between;
        long heapRest = fresh.server().liveHeapBytes().orElse(0) - heapBefore.orElse(0);
        LOG.info(
                "{}: 100,000 idle watches on 100 streams add {} KiB and leave {} KiB when they are closed; the second time {} and {} KiB; {} KiB are left in the heap",
                fresh.kind(),
                first >> 10,
                (between - before) >> 10,
                second >> 10,
                rest >> 10,
                heapRest >> 10);
        if (fresh.kind() == ServerKind.NIGHTJAR) {
            assertThat(first).isLessThan(IDLE_WATCHES_BOUND);
            assertThat(between - before).isLessThan(FIRST_REST_BOUND);
            assertThat(second).isLessThan(IDLE_WATCHES_BOUND);
            assertThat(rest).isLessThan(NEXT_REST_BOUND);
            assertThat(heapRest).isLessThan(HEAP_REST_BOUND);
        }
    }

    /** Creates watches, measures the resident bytes of the server, and closes them. */
    private long crowd(int streams, int watches) {
        List<WatchCall> calls = new ArrayList<>();
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            create(api, calls, streams, watches);
            long resident = settled().residentBytes();
            calls.forEach(WatchCall::close);
            awaitWatchers(0);
            return resident;
        }
    }

    private void create(ApiClient api, List<WatchCall> calls, int streams, int watches) {
        for (int i = 0; i < streams; i++) {
            WatchCall call = WatchCall.open(api);
            calls.add(call);
            for (int j = 0; j < watches; j++) {
                call.create(WatchCall.key("/registry/pods/namespace-%d/pod-%d".formatted(i, j)));
            }
            for (int j = 0; j < watches; j++) {
                assertThat(call.next().getCreated()).isTrue();
            }
        }
        awaitWatchers(streams * watches);
    }

    private void awaitWatchers(int count) {
        Await.until(
                count + " watches", Duration.ofSeconds(60), () -> ServerHttp.metric(fresh.server(), WATCHERS) == count);
    }

    @Test
    void a_client_that_stops_reading_costs_its_budget_and_no_more() {
        puts(PUTS);
        long before = settled().anonymousBytes();
        puts(PUTS);
        long writes = settled().anonymousBytes() - before;
        List<ApiClient> clients = new ArrayList<>();
        List<WatchCall> calls = new ArrayList<>();
        try {
            for (int i = 0; i < UNREAD_STREAMS; i++) {
                ApiClient client = new ApiClient(fresh.server().endpoint());
                clients.add(client);
                WatchCall call = WatchCall.openUnread(client);
                calls.add(call);
                call.send(WatchRequest.newBuilder()
                        .setCreateRequest(WatchCall.key("big"))
                        .build());
            }
            awaitWatchers(UNREAD_STREAMS);
            before = settled().anonymousBytes();
            puts(PUTS);
            long unread = settled().anonymousBytes() - before - writes;
            LOG.info(
                    "{}: {} MiB of events for each of {} streams that are not read add {} KiB to the server ({} KiB without them)",
                    fresh.kind(),
                    (long) PUTS * VALUE / MEBIBYTE,
                    UNREAD_STREAMS,
                    unread >> 10,
                    writes >> 10);
            if (fresh.kind() == ServerKind.NIGHTJAR) {
                assertThat(unread).isLessThan(UNREAD_STREAMS * UNREAD_STREAM_BOUND);
            }
        } finally {
            calls.forEach(WatchCall::close);
            clients.forEach(ApiClient::close);
        }
    }

    private void puts(int count) {
        PutRequest put = ApiClient.putRequest("big", ByteString.copyFrom(new byte[VALUE]));
        var _ = fresh.api().hurry(count, _ -> put);
    }

    /** Resident bytes when the process has given back enough, which may take more than one collection; or else the last. */
    private long settledBelow(long bound) {
        long resident = settled().residentBytes();
        for (int asked = 1; asked < MOST_COLLECTIONS && resident >= bound; asked++) {
            LOG.info("{}: {} KiB are resident after {} collections", fresh.kind(), resident >> 10, asked);
            resident = settled().residentBytes();
        }
        return resident;
    }

    private ServerMemory settled() {
        fresh.server().settleMemory();
        return ServerMemory.of(fresh.server());
    }
}
