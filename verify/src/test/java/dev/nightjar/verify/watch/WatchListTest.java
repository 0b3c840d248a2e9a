/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.Await;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerHttp;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What informers do: list, then watch from the revision of the list; and streams that come and go. */
@OnEveryServer
class WatchListTest {
    private static final Logger LOG = LoggerFactory.getLogger(WatchListTest.class);
    private static final int WRITERS = 48;
    private static final int KEYS_OF_A_WRITER = 40;

    /** History must not wait for a timer: etcd's is 100 ms. Wide enough for a busy machine, since it bounds the median. */
    private static final long FIRST_EVENT_MILLIS = 50;

    /** On a machine on which all is slow, history may take as long as so many new events take. */
    private static final int FIRST_EVENT_TIMES = 10;

    @RegisterExtension
    final FreshServer fresh;

    /** Keys of writers that have the answer, with its revision. */
    private final Map<ByteString, Long> acknowledged = new ConcurrentHashMap<>();

    WatchListTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void list_and_watch_together_miss_nothing_and_repeat_nothing() throws Exception {
        try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                String prefix = "n/" + writer + "/";
                running.add(writers.submit(() -> {
                    for (int i = 0; i < KEYS_OF_A_WRITER; i++) {
                        acknowledged.put(
                                ByteString.copyFromUtf8(prefix + i), fresh.api().put(prefix + i, ""));
                    }
                }));
            }
            for (int i = 0; i < 5; i++) {
                assertListThenWatchIsWhole();
            }
            for (Future<?> writer : running) {
                writer.get();
            }
        }
        assertThat(list().getCount()).isEqualTo(WRITERS * KEYS_OF_A_WRITER);
    }

    /** The list and the events after it are, at the revision of the last event, the list of that revision. */
    private void assertListThenWatchIsWhole() {
        RangeResponse list = list();
        List<ByteString> known = new ArrayList<>();
        list.getKvsList().forEach(kv -> known.add(kv.getKey()));
        long last = list.getHeader().getRevision();
        long target = fresh.api().put("n/fence", "");
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.prefix("n/").setStartRevision(last + 1));
            while (last < target) {
                for (Event event : call.next().getEventsList()) {
                    assertThat(event.getKv().getModRevision()).isGreaterThan(last);
                    last = event.getKv().getModRevision();
                    if (event.getKv().getVersion() == 1) {
                        known.add(event.getKv().getKey());
                    }
                }
            }
        }
        RangeRequest then = everything().setRevision(last).setKeysOnly(true).build();
        List<ByteString> truth = fresh.api().kv().range(then).getKvsList().stream()
                .map(kv -> kv.getKey())
                .toList();
        assertThat(known).containsExactlyInAnyOrderElementsOf(truth);
        long reached = last;
        acknowledged.forEach((key, revision) -> {
            if (revision <= reached) {
                assertThat(known).contains(key);
            }
        });
        var _ = fresh.api().delete("n/fence");
    }

    private RangeResponse list() {
        return fresh.api().kv().range(everything().build());
    }

    private static RangeRequest.Builder everything() {
        var range = WatchCall.prefix("n/");
        return RangeRequest.newBuilder().setKey(range.getKey()).setRangeEnd(range.getRangeEnd());
    }

    @Test
    void history_begins_to_flow_soon() {
        var _ = fresh.api().hurry(2000, i -> ApiClient.putRequest("k", ByteString.copyFromUtf8("v" + i)));
        List<Long> history = new ArrayList<>();
        List<Long> news = new ArrayList<>();
        try (WatchCall call = WatchCall.open(fresh.api());
                WatchCall live = WatchCall.open(fresh.api())) {
            var _ = live.created(WatchCall.key("new"));
            for (int i = 0; i < 15; i++) {
                long begin = System.nanoTime();
                var _ = call.created(WatchCall.key("k").setStartRevision(2));
                assertThat(call.next().getEventsCount()).isPositive();
                history.add(millisSince(begin));
                call.cancel(i);
                var _ = call.until(response -> response.getCanceled());
                begin = System.nanoTime();
                fresh.api().put("new", "v");
                assertThat(live.next().getEventsCount()).isEqualTo(1);
                news.add(millisSince(begin));
            }
        }
        LOG.info(
                "{}: from create request to the first event of history: {} ms; from put to event: {} ms",
                fresh.kind(),
                history,
                news);
        if (fresh.kind() == ServerKind.NIGHTJAR) {
            assertThat(median(history)).isLessThan(Math.max(FIRST_EVENT_MILLIS, FIRST_EVENT_TIMES * median(news)));
        }
    }

    private static long millisSince(long beginNanos) {
        return (System.nanoTime() - beginNanos) / 1_000_000;
    }

    private static long median(List<Long> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    @Test
    void streams_that_come_and_go_leave_nothing_behind() {
        for (int round = 0; round < 10; round++) {
            List<WatchCall> calls = new ArrayList<>();
            try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
                for (int i = 0; i < 200; i++) {
                    WatchCall call = WatchCall.open(api);
                    calls.add(call);
                    call.create(WatchCall.key("k" + i));
                }
                calls.forEach(call -> assertThat(call.next().getCreated()).isTrue());
                if (round % 2 == 0) {
                    calls.forEach(WatchCall::close);
                }
            }
        }
        Await.until(
                "no watch and no stream is left",
                Duration.ofSeconds(60),
                () -> ServerHttp.metric(fresh.server(), "etcd_debugging_mvcc_watcher_total") == 0
                        && ServerHttp.metric(fresh.server(), "etcd_debugging_mvcc_watch_stream_total") == 0);
    }
}
