/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
import dev.nightjar.verify.driver.WireText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The previous key-value of an event: when it comes, and what it says. */
@OnEveryServer
class WatchPreviousValueTest {
    @RegisterExtension
    final FreshServer fresh;

    WatchPreviousValueTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    private static final String[] STORY = {
        "PUT x=1 c2 m2 v1", "PUT x=2 c2 m3 v2 prev x=1 c2 m2 v1", "DELETE x m4 prev x=2 c2 m3 v2", "PUT x=3 c5 m5 v1"
    };

    private void tellStory() {
        fresh.api().put("x", "1");
        fresh.api().put("x", "2");
        var _ = fresh.api().delete("x");
        fresh.api().put("x", "3");
    }

    @Test
    void it_comes_with_updates_and_deletions_live() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("x").setPrevKv(true));
            tellStory();
            assertThat(WireText.events(call.events(4))).containsExactly(STORY);
        }
    }

    @Test
    void it_comes_with_updates_and_deletions_replayed() {
        tellStory();
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("x").setPrevKv(true).setStartRevision(1));
            assertThat(WireText.events(call.events(4))).containsExactly(STORY);
        }
    }

    @Test
    void watches_of_one_key_do_not_share_the_wish() {
        try (WatchCall call = WatchCall.open(fresh.api());
                WatchCall other = WatchCall.open(fresh.api())) {
            fresh.api().put("x", "1");
            var _ = call.created(WatchCall.key("x").setPrevKv(true));
            var _ = call.created(WatchCall.key("x"));
            var _ = other.created(WatchCall.key("x"));
            fresh.api().put("x", "2");
            assertThat(List.of(WireText.of(call.next()), WireText.of(call.next())))
                    .containsExactlyInAnyOrder("#0 @3 PUT x=2 c2 m3 v2 prev x=1 c2 m2 v1", "#1 @3 PUT x=2 c2 m3 v2");
            assertThat(WireText.of(other.next())).isEqualTo("#0 @3 PUT x=2 c2 m3 v2");
        }
    }

    @Test
    void each_key_of_a_deleted_range_has_its_own() {
        fresh.api().put("x1", "a");
        fresh.api().put("x2", "b");
        fresh.api().put("x1", "c");
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.prefix("x").setPrevKv(true));
            var range = WatchCall.prefix("x");
            var _ = fresh.api()
                    .kv()
                    .deleteRange(DeleteRangeRequest.newBuilder()
                            .setKey(range.getKey())
                            .setRangeEnd(range.getRangeEnd())
                            .build());
            assertThat(WireText.of(call.next()))
                    .isEqualTo("#0 @5 DELETE x1 m5 prev x1=c c2 m4 v2; DELETE x2 m5 prev x2=b c3 m3 v1");
        }
    }

    @Test
    void it_is_left_out_where_the_revision_before_is_compacted() {
        tellStory();
        fresh.api().compact(4);
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("x").setPrevKv(true).setStartRevision(4));
            assertThat(WireText.events(call.events(2))).containsExactly("DELETE x m4", "PUT x=3 c5 m5 v1");
            fresh.api().put("x", "4");
            assertThat(WireText.of(call.next())).isEqualTo("#0 @6 PUT x=4 c5 m6 v2 prev x=3 c5 m5 v1");
        }
    }

    @Test
    void it_comes_when_the_revision_before_is_the_compacted_one() {
        tellStory();
        fresh.api().compact(3);
        try (WatchCall call = WatchCall.open(fresh.api())) {
            var _ = call.created(WatchCall.key("x").setPrevKv(true).setStartRevision(4));
            assertThat(WireText.events(call.events(2))).containsExactly(STORY[2], STORY[3]);
        }
    }
}
