/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchResponse;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watchers of many keys that one request deletes: a single revision with an event for each. It comes whole and in order,
 * in one message or in fragments, out of a small heap, and others are served meanwhile.
 */
@OnEveryServer
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LargeRevisionWatchTest {
    private static final Logger LOG = LoggerFactory.getLogger(LargeRevisionWatchTest.class);
    private static final int KEYS = Integer.getInteger("nightjar.verify.keys", 150_000);

    private static final int UNREAD = 40;
    private static final int STREAMS_OF_A_CLIENT = 4;
    private static final int LARGE_KEYS = 250;
    private static final int FEW_LARGE_KEYS = 60;

    @RegisterExtension
    final FreshServer fresh;

    LargeRevisionWatchTest(ServerKind kind) {
        fresh = new FreshServer(kind, System.getProperty("nightjar.verify.heap", "-Xmx256m"), ManyKeys.FLAG);
    }

    @Test
    void one_message_has_them_all() throws Exception {
        assertToldOnce(WatchCall.prefix(ManyKeys.PREFIX));
    }

    @Test
    void fragments_have_them_all_with_what_they_were() throws Exception {
        assertToldOnce(WatchCall.prefix(ManyKeys.PREFIX).setPrevKv(true).setFragment(true));
    }

    @Test
    void what_large_keys_were_comes_in_one_message_for_which_the_heap_has_no_room() throws Exception {
        ByteString value = ByteString.copyFrom(new byte[1 << 20]);
        int keys = fresh.kind() == ServerKind.NIGHTJAR ? 240 : 30;
        var _ = fresh.api().hurry(keys, i -> ApiClient.putRequest("large/%03d".formatted(i), value));
        try (WatchCall watch = WatchCall.open(fresh.api());
                WatchCall bare = WatchCall.open(fresh.api())) {
            watch.created(WatchCall.prefix("large/").setPrevKv(true));
            bare.created(WatchCall.prefix("large/"));
            long revision = deleteLarge();
            assertThat(bare.next().getEventsCount()).isEqualTo(keys);
            WatchResponse response = watch.next();
            assertThat(response.getEventsCount()).isEqualTo(keys);
            assertThat(response.getEventsList())
                    .allMatch(event -> event.getPrevKv().getValue().equals(value));
            watch.created(WatchCall.prefix("large/").setPrevKv(true).setStartRevision(revision));
            assertThat(watch.next().getEventsCount()).isEqualTo(keys);
        }
    }

    @Test
    void what_large_keys_were_is_not_kept_with_the_history_of_their_changes() throws Exception {
        ByteString value = ByteString.copyFrom(new byte[1 << 20]);
        try (WatchCall watch = WatchCall.open(fresh.api())) {
            watch.created(WatchCall.prefix("large/").setPrevKv(true));
            for (int i = 0; i < LARGE_KEYS; i++) {
                var _ = fresh.api().put(ByteString.copyFromUtf8("large/" + i), value);
                assertThat(watch.next().getEventsCount()).isEqualTo(1);
            }
            for (int i = 0; i < LARGE_KEYS; i++) {
                var _ = fresh.api().delete("large/" + i);
                assertThat(watch.next().getEvents(0).getPrevKv().getValue()).isEqualTo(value);
            }
        }
    }

    /** The client hears of one watcher after the other, each in whole, and of its requests in between or afterwards. */
    @Test
    void a_long_response_holds_up_its_own_stream_and_nobody_else() throws Exception {
        ManyKeys.write(fresh.api(), KEYS);
        try (WatchCall watch = WatchCall.open(fresh.api())) {
            watch.created(WatchCall.prefix(ManyKeys.PREFIX).setWatchId(1).setPrevKv(true));
            watch.created(WatchCall.prefix(ManyKeys.PREFIX).setWatchId(2));
            watch.created(WatchCall.key("small").setWatchId(3));
            long revision = fresh.api()
                    .kv()
                    .deleteRange(ManyKeys.delete().build())
                    .getHeader()
                    .getRevision();
            fresh.api().put("small", "value");
            watch.create(WatchCall.key("new").setWatchId(4));
            watch.cancel(3);
            Map<Long, Integer> events = new HashMap<>();
            Set<Long> created = new HashSet<>();
            boolean canceled = false;
            while (!canceled
                    || !created.contains(4L)
                    || events.getOrDefault(1L, 0) + events.getOrDefault(2L, 0) < 2 * KEYS) {
                WatchResponse response = watch.next();
                canceled |= response.getCanceled();
                if (response.getCreated()) {
                    created.add(response.getWatchId());
                }
                events.merge(response.getWatchId(), response.getEventsCount(), Integer::sum);
                assertThat(response.getEventsList())
                        .allMatch(event ->
                                event.getKv().getModRevision() == revision + (response.getWatchId() == 3 ? 1 : 0));
            }
            assertThat(events).containsEntry(1L, KEYS).containsEntry(2L, KEYS);
            fresh.api().put("new", "value");
            assertThat(watch.next().getWatchId()).isEqualTo(4);
        }
    }

    @Test
    void streams_that_do_not_read_a_long_response_cost_little_and_get_it_when_they_do() throws Exception {
        ManyKeys.write(fresh.api(), KEYS);
        List<ApiClient> clients = new ArrayList<>();
        List<WatchCall> unread = new ArrayList<>();
        try {
            for (int i = 0; i < UNREAD; i++) {
                ApiClient client = new ApiClient(fresh.server().endpoint());
                clients.add(client);
                WatchCall call = WatchCall.openUnread(client);
                unread.add(call);
                call.create(WatchCall.prefix(ManyKeys.PREFIX).setPrevKv(true));
            }
            Await.until(
                    "watchers",
                    Duration.ofSeconds(60),
                    () -> ServerHttp.metric(fresh.server(), "etcd_debugging_mvcc_watcher_total") == UNREAD);
            fresh.api().kv().deleteRange(ManyKeys.delete().build());
            fresh.api().put("small", "value");
            for (WatchCall call : unread) {
                call.read(2);
                assertThat(call.next().getCreated()).isTrue();
                assertThat(call.next().getEventsCount()).isEqualTo(KEYS);
            }
        } finally {
            unread.forEach(WatchCall::close);
            clients.forEach(ApiClient::close);
        }
    }

    @Test
    void streams_that_do_not_read_what_large_keys_were_leave_room_for_one_that_does() throws Exception {
        ByteString value = ByteString.copyFrom(new byte[1 << 20]);
        var _ = fresh.api().hurry(FEW_LARGE_KEYS, i -> ApiClient.putRequest("large/" + i, value));
        long revision = deleteLarge();
        WatchCreateRequest.Builder request =
                WatchCall.prefix("large/").setPrevKv(true).setStartRevision(revision);
        List<ApiClient> clients = new ArrayList<>();
        List<WatchCall> unread = new ArrayList<>();
        try (WatchCall watch = WatchCall.open(fresh.api())) {
            for (int i = 0; i < UNREAD; i++) {
                ApiClient client = new ApiClient(fresh.server().endpoint());
                clients.add(client);
                for (int j = 0; j < STREAMS_OF_A_CLIENT; j++) {
                    WatchCall call = WatchCall.openUnread(client);
                    unread.add(call);
                    call.create(request);
                }
            }
            Await.until(
                    "watchers",
                    Duration.ofSeconds(60),
                    () -> ServerHttp.metric(fresh.server(), "etcd_debugging_mvcc_watcher_total") == unread.size());
            watch.created(request);
            assertThat(watch.next().getEventsCount()).isEqualTo(FEW_LARGE_KEYS);
        } finally {
            unread.forEach(WatchCall::close);
            clients.forEach(ApiClient::close);
        }
    }

    /** Deletes all large keys and returns the revision. */
    private long deleteLarge() {
        ByteString prefix = ByteString.copyFromUtf8("large/");
        return fresh.api()
                .kv()
                .deleteRange(ManyKeys.delete()
                        .setKey(prefix)
                        .setRangeEnd(ApiClient.prefixEnd(prefix))
                        .build())
                .getHeader()
                .getRevision();
    }

    private void assertToldOnce(WatchCreateRequest.Builder request) throws Exception {
        ManyKeys.write(fresh.api(), KEYS);
        try (ApiClient api = new ApiClient(fresh.server().endpoint());
                WatchCall watch = WatchCall.open(api);
                WatchCall small = WatchCall.open(fresh.api());
                OtherWriter other = new OtherWriter(fresh.server().endpoint())) {
            watch.created(request);
            small.created(WatchCall.key("small"));
            long begin = System.nanoTime();
            long revision = fresh.api()
                    .kv()
                    .deleteRange(ManyKeys.delete().build())
                    .getHeader()
                    .getRevision();
            fresh.api().put("small", "value");
            assertThat(small.next().getEventsCount()).isEqualTo(1);
            long smallMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            expect(watch, request, revision);
            LOG.info(
                    "{}: {} events of one revision in {} ms; another watcher was told after {} ms, a put took {} ms at"
                            + " most",
                    fresh.kind(),
                    KEYS,
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin),
                    smallMillis,
                    other.longestMillis());
            if (fresh.kind() == ServerKind.NIGHTJAR) {
                assertThat(Math.max(smallMillis, other.longestMillis())).isLessThan(other.boundMillis());
            }
        }
    }

    private static void expect(WatchCall watch, WatchCreateRequest.Builder request, long revision) {
        int next = 0;
        WatchResponse response;
        do {
            response = watch.next();
            for (Event event : response.getEventsList()) {
                boolean isRight = event.getType() == Event.EventType.DELETE
                        && event.getKv().getKey().equals(ManyKeys.key(next))
                        && event.getKv().getModRevision() == revision
                        && event.hasPrevKv() == request.getPrevKv()
                        && (!event.hasPrevKv() || event.getPrevKv().getValue().equals(ManyKeys.VALUE));
                if (!isRight) {
                    throw new AssertionError("in place of the deletion of key " + next + " came " + event);
                }
                next++;
            }
        } while (response.getFragment());
        assertThat(next).isEqualTo(KEYS);
    }
}
