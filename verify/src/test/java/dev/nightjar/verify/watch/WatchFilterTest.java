/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.api.etcdserverpb.WatchCreateRequest.FilterType;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
import dev.nightjar.verify.driver.WireText;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Watches that want only puts, only deletions, or neither; live and from history. */
@OnEveryServer
class WatchFilterTest {
    @RegisterExtension
    final FreshServer fresh;

    WatchFilterTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void filters_drop_live_events() {
        assertThat(filtered(0))
                .containsExactlyInAnyOrder(
                        "#0 @3 DELETE foo m3",
                        "#1 @2 PUT foo=a c2 m2 v1",
                        "#3 @2 PUT foo=a c2 m2 v1",
                        "#3 @3 DELETE foo m3");
    }

    @Test
    void filters_drop_replayed_events() {
        assertThat(filtered(1))
                .containsExactlyInAnyOrder(
                        "#0 @4 DELETE foo m3", "#1 @4 PUT foo=a c2 m2 v1", "#3 @4 PUT foo=a c2 m2 v1; DELETE foo m3");
    }

    /** Four watches of foo, beginning at {@code start}: no puts, no deletes, neither (twice named), all; and a fence. */
    private List<String> filtered(long start) {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            if (start > 0) {
                write();
            }
            var foo = WatchCall.key("foo").setStartRevision(start);
            call.create(foo.clone().addFilters(FilterType.NOPUT));
            call.create(foo.clone().addFilters(FilterType.NODELETE));
            call.create(foo.clone()
                    .addFilters(FilterType.NOPUT)
                    .addFilters(FilterType.NODELETE)
                    .addFilters(FilterType.NOPUT));
            call.create(foo.clone());
            call.create(WatchCall.key("fence"));
            int events = start > 0 ? 3 : 4;
            List<String> all = new ArrayList<>();
            if (start == 0) {
                all.addAll(WireText.of(call.until(response -> response.getCreated() && response.getWatchId() == 4)));
                write();
            }
            while (all.stream().filter(line -> line.contains("foo")).count() < events) {
                all.add(WireText.of(call.next()));
            }
            fresh.api().put("fence", "");
            all.addAll(WireText.of(call.until(response -> WireText.of(response).contains("fence=")
                    && response.getHeader().getRevision() == 5)));
            return all.stream().filter(line -> line.contains("foo")).toList();
        }
    }

    private void write() {
        fresh.api().put("foo", "a");
        var _ = fresh.api().delete("foo");
        fresh.api().put("fence", "");
    }
}
