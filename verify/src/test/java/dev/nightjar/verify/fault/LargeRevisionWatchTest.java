/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
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
