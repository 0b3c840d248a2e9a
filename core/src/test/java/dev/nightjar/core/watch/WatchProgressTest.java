/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Bookmarks: periodic and on request. The interval is 200 ms here; with its jitter a period is at most 220 ms. */
class WatchProgressTest {
    private static final WatchLimits LIMITS = new WatchLimits(
            WatchLimits.DEFAULT.historyBytes(),
            WatchLimits.Turn.DEFAULT,
            WatchLimits.CatchUp.DEFAULT,
            WatchLimits.Revision.DEFAULT,
            WatchLimits.Stream.DEFAULT,
            Duration.ofMillis(200));

    private final WatchScript script = new WatchScript(LIMITS, LIMITS.historyBytes());

    @Test
    void an_idle_watcher_that_asked_gets_progress_each_period() {
        script.check("""
                > s create a progress
                s 0 created @1
                > s create a
                s 1 created @1
                > wait 190
                > wait 50
                s 0 progress @1
                > put b 2
                > wait 250
                s 0 progress @2
                """);
    }

    @Test
    void a_period_with_events_is_skipped() {
        script.check("""
                > s create a progress
                s 0 created @1
                > put a 2
                s 0 @2 PUT a=2 c2 m2 v1
                > wait 240
                > wait 250
                s 0 progress @2
                """);
    }

    @Test
    void filtered_events_skip_nothing() {
        script.check("""
                > s create a progress noput
                s 0 created @1
                > put a 2
                > wait 240
                s 0 progress @2
                """);
    }

    @Test
    void a_start_in_the_future_gets_progress_only_when_it_is_reached() {
        script.check("""
                > s create a progress start=3
                s 0 created @1
                > wait 250
                > put b 2
                > wait 250
                > put b 3
                > wait 250
                s 0 progress @3
                """);
    }

    @Test
    void a_watcher_that_caught_up_without_a_match_gets_progress() {
        script.check("""
                > put b 2
                > put b 3
                > s create a progress start=1
                s 0 created @3
                > wait 240
                s 0 progress @3
                """);
    }

    @Test
    void a_stream_that_takes_no_bytes_and_a_victim_get_no_progress() {
        script.check("""
                > s create a progress
                s 0 created @1
                > s create b progress
                s 1 created @1
                > s room 0
                > put a 2
                > wait 250
                > s progress
                > s room all
                s 0 @2 PUT a=2 c2 m2 v1
                > wait 250
                s 1 progress @2
                """);
    }

    @Test
    void the_timer_stops_with_the_last_stream() {
        script.check("""
                > s create a progress
                s 0 created @1
                > s close
                > wait 250
                """);
        assertThat(script.timer().pending()).isZero();
        script.check("""
                > s create a progress
                s 0 created @1
                > wait 250
                s 0 progress @1
                """);
    }

    @Test
    void requested_progress_speaks_for_all_watchers_once() {
        script.check("""
                > s progress
                > s create a
                s 0 created @1
                > s progress
                s -1 progress @1
                > s create b
                s 1 created @1
                > put c 2
                > s progress
                s -1 progress @2
                """);
    }

    @Test
    void requested_progress_does_not_overtake_events() {
        script.check("""
                > s create a
                s 0 created @1
                > hold
                > put a 2
                > s progress
                s 0 @2 PUT a=2 c2 m2 v1
                s -1 progress @2
                > run
                """);
    }

    @Test
    void with_a_watcher_behind_those_that_are_synced_get_their_own() {
        script.check("""
                > put b 2
                > s create quiet id=11
                s 11 created @2
                > s create b id=12 start=1000000
                s 12 created @2
                > s progress
                s 11 progress @2
                > hold
                > s create b id=13 start=2
                s 13 created @2
                > s progress
                s 11 progress @2
                > run
                s 13 @2 PUT b=2 c2 m2 v1
                > s progress
                s 11 progress @2
                s 13 progress @2
                > s cancel 12
                s 12 canceled @2
                > s progress
                s -1 progress @2
                """);
    }

    @Test
    void a_watcher_that_is_dead_by_compaction_does_not_hold_back_the_others() {
        script.check("""
                > put a 2
                > put a 3
                > compact 3
                > s create a start=2
                s 0 created @3
                s 0 canceled @0 compact_revision 3
                > s progress
                > s create a
                s 1 created @3
                > s progress
                s -1 progress @3
                """);
    }

    @Test
    void a_long_replay_has_no_progress_in_between_and_its_headers_tell_the_store_revision() {
        script.puts(1001, revision -> "foo");
        script.check("""
                > s create other
                s 0 created @1002
                """);
        script.stream("s")
                .create(new WatchCreate(
                        new byte[] {'f', 'o', 'o'},
                        new byte[0],
                        1,
                        0,
                        new WatchCreate.Options(true, false, false, false, false)));
        script.run();
        var lines = script.takeOutput();
        assertThat(lines.getFirst()).isEqualTo("s 1 created @1002");
        assertThat(lines.subList(1, lines.size())).allMatch(line -> line.startsWith("s 1 @1002 PUT"));
        assertThat(lines.stream()
                        .mapToInt(line -> line.split("PUT", -1).length - 1)
                        .sum())
                .isEqualTo(1001);
        script.check("""
                > s progress
                s -1 progress @1002
                """);
    }
}
