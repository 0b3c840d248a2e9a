/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Watchers that begin in the past: how far a scan goes, who shares it, and whose turn it is. */
class WatchCatchUpTest {
    private static final long PLENTY = WatchLimits.DEFAULT.historyBytes();

    private static WatchLimits catchUp(int changes, long bytes, int watchers) {
        return new WatchLimits(
                PLENTY,
                WatchLimits.Turn.DEFAULT,
                new WatchLimits.CatchUp(changes, bytes, watchers, 0),
                WatchLimits.Revision.DEFAULT,
                WatchLimits.Stream.DEFAULT,
                WatchLimits.DEFAULT.progressInterval());
    }

    @Test
    void a_scan_ends_with_the_revision_that_reaches_the_number_of_changes() {
        WatchScript script = new WatchScript(catchUp(4, PLENTY, 100), 1);
        for (int transaction = 0; transaction < 12; transaction++) {
            script.check("> txn put a x, put b x, put c x\n");
        }
        script.stream("s").create(create("a", "z", 1));
        script.run();
        List<String> lines = script.takeOutput();
        assertThat(lines.subList(1, lines.size()).stream().map(line -> line.split("PUT", -1).length - 1))
                .as("two whole revisions each, and what is left when the rest is recent")
                .containsExactly(6, 6, 6, 6, 6, 6);
        assertThat(script.store().scannedChanges())
                .as("what was read is not read again")
                .isEqualTo(36);
    }

    @Test
    void a_scan_ends_with_the_revision_that_reaches_the_bytes() {
        WatchScript script = new WatchScript(catchUp(1000, 20, 100), 1);
        script.check("""
                > put a 22222222
                > put b 33333333
                > put a 44444444
                > put a 55555555
                > s create a start=2
                s 0 created @5
                s 0 @5 PUT a=22222222 c2 m2 v1; PUT a=44444444 c2 m4 v2
                s 0 @5 PUT a=55555555 c2 m5 v3
                """);
        assertThat(script.store().scans()).isEqualTo(2);
    }

    @Test
    void more_watchers_than_a_scan_serves_are_served_by_further_scans() {
        WatchScript script = new WatchScript(catchUp(1000, PLENTY, 3), 1);
        script.puts(5, revision -> "k");
        script.check("> hold\n");
        for (int i = 0; i < 10; i++) {
            script.stream("s").create(create("k", "", 2));
        }
        script.run();
        assertThat(script.counters().states()).isEqualTo("10/0/0");
        assertThat(script.store().scans()).isEqualTo(4);
        assertThat(script.takeOutput()).hasSize(20);
    }

    @Test
    void one_scan_is_shared_by_all_who_need_it() {
        WatchScript script = new WatchScript(catchUp(1000, PLENTY, 100), 1);
        script.puts(50, revision -> "k");
        script.check("> hold\n");
        for (int i = 0; i < 10; i++) {
            script.stream("s").create(create("k", "", 2 + i));
        }
        script.run();
        assertThat(script.counters().states()).isEqualTo("10/0/0");
        assertThat(script.store().scans()).isEqualTo(1);
    }

    @Test
    void the_far_behind_and_the_nearly_synced_take_turns() {
        WatchScript script = new WatchScript(catchUp(10, PLENTY, 100), 1);
        script.puts(100, revision -> "k");
        script.check("> hold\n");
        script.stream("far").create(create("k", "", 2));
        script.stream("near").create(create("k", "", 85));
        script.run();
        List<String> lines = script.takeOutput();
        List<String> order = lines.stream()
                .filter(line -> line.contains("PUT"))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();
        assertThat(order.subList(0, 4)).containsExactly("far", "near", "far", "near");
        assertThat(order).hasSize(12);
    }

    @Test
    void newcomers_do_not_hold_up_those_who_have_come_far() {
        WatchScript script = new WatchScript(catchUp(10, PLENTY, 100), 1);
        script.puts(100, revision -> "k");
        script.check("> hold\n");
        script.stream("first").create(create("k", "", 2));
        int newcomers = 0;
        while (script.counters().watchers(WatcherState.SYNCED) == 0) {
            script.stream("new").create(create("k", "", 2));
            newcomers++;
            while (script.loop().runOne()) {
                // until the reader has something to do
            }
            script.reader().runOne();
            assertThat(newcomers).as("passes until the first is synced").isLessThan(40);
        }
    }

    private static WatchCreate create(String key, String end, long start) {
        return new WatchCreate(
                MemoryStore.bytes(key).toByteArray(),
                MemoryStore.bytes(end).toByteArray(),
                start,
                0,
                new WatchCreate.Options(false, false, false, false, false));
    }
}
