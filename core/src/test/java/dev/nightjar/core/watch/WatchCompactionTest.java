/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Starts below, at and above the compacted revision, and changes that are not listed. */
class WatchCompactionTest {
    private final WatchScript script = new WatchScript();

    /** The recent history keeps next to nothing, so that all is read from the store. */
    private final WatchScript fromStore = new WatchScript(WatchLimits.DEFAULT, 1);

    @Test
    void a_start_below_the_compacted_revision_is_created_then_canceled_once() {
        script.check("""
                > put a 2
                > put a 3
                > put a 4
                > put a 5
                > put a 6
                > compact 4
                > s create a start=2
                s 0 created @6
                s 0 canceled @0 compact_revision 4
                > s create a start=4
                s 1 created @6
                s 1 @6 PUT a=4 c2 m4 v3; PUT a=5 c2 m5 v4; PUT a=6 c2 m6 v5
                > put a 7
                s 1 @7 PUT a=7 c2 m7 v6
                > s cancel 0
                s 0 canceled @7
                > s cancel 0
                """);
        assertThat(script.counters().states()).isEqualTo("1/0/0");
    }

    @Test
    void an_id_canceled_by_compaction_is_free_at_once_but_not_given_automatically() {
        script.check("""
                > put a 2
                > put a 3
                > compact 3
                > s create a id=1 start=2
                s 1 created @3
                s 1 canceled @0 compact_revision 3
                > s create a
                s 0 created @3
                > s create a
                s 2 created @3
                > s create a id=1
                s 1 created @3
                > s cancel 1
                s 1 canceled @3
                > s cancel 1
                """);
    }

    @Test
    void a_delete_at_the_compacted_revision_is_replayed() {
        for (WatchScript each : new WatchScript[] {script, fromStore}) {
            each.check("""
                    > put k 2
                    > put k 3
                    > put k 4
                    > del k
                    > put k 6
                    > compact 5 drop
                    > s create k start=5
                    s 0 created @6
                    s 0 @6 DELETE k m5; PUT k=6 c6 m6 v1
                    """);
        }
    }

    @Test
    void there_is_no_previous_value_of_the_compacted_revision() {
        for (WatchScript each : new WatchScript[] {script, fromStore}) {
            each.check("""
                    > put k 2
                    > put k 3
                    > put k 4
                    > compact 3
                    > s create k start=3 prev
                    s 0 created @4
                    s 0 @4 PUT k=3 c2 m3 v2; PUT k=4 c2 m4 v3 was k=3 c2 m3 v2
                    > put k 5
                    s 0 @5 PUT k=5 c2 m5 v4 was k=4 c2 m4 v3
                    """);
        }
    }

    @Test
    void a_previous_value_that_is_really_gone_is_left_out_and_the_event_is_delivered() {
        script.check("""
                > put k 2
                > s create k prev
                s 0 created @2
                > s room 0
                > put k 3
                > put k 4
                > compact 4 drop
                > s room all
                s 0 @4 PUT k=3 c2 m3 v2; PUT k=4 c2 m4 v3
                """);
    }

    @Test
    void an_unsynced_watcher_overtaken_by_compaction_is_canceled() {
        fromStore.check("""
                > put k 2
                > put k 3
                > put k 4
                > hold
                > s create k start=2
                s 0 created @4
                > compact 3 drop
                > run
                s 0 canceled @0 compact_revision 3
                > put k 5
                """);
    }

    @Test
    void a_compaction_during_a_scan_discards_what_it_brought() {
        fromStore.puts(3, revision -> "k");
        fromStore.check("""
                > hold
                > s create k start=2
                s 0 created @4
                > t create k start=3
                t 0 created @4
                """);
        fromStore.loop().runOne();
        assertThat(fromStore.reader().size()).isEqualTo(1);
        fromStore.check("""
                > compact 3 drop
                > run
                s 0 canceled @0 compact_revision 3
                t 0 @4 PUT k=3 c2 m3 v2; PUT k=4 c2 m4 v3
                """);
    }

    @Test
    void a_canceled_unsynced_watcher_gets_nothing_of_a_scan_in_flight() {
        fromStore.puts(3, revision -> "k");
        fromStore.check("""
                > hold
                > s create k start=2 id=7
                s 7 created @4
                """);
        fromStore.loop().runOne();
        fromStore.check("""
                > s cancel 7
                s 7 canceled @4
                > s create k id=7 start=4
                s 7 created @4
                > run
                s 7 @4 PUT k=4 c2 m4 v3
                """);
    }

    @Test
    void synced_watchers_are_not_affected() {
        script.check("""
                > s create a
                s 0 created @1
                > put b 2
                > put b 3
                > compact 3 drop
                > put a 4
                s 0 @4 PUT a=4 c4 m4 v1
                """);
    }

    @Test
    void interested_watchers_are_told_where_they_are_before_a_compaction() {
        script.check("""
                > s create quiet progress
                s 0 created @1
                > s create quiet
                s 1 created @1
                > s create busy progress
                s 2 created @1
                > put busy 2
                s 2 @2 PUT busy=2 c2 m2 v1
                > put busy 3
                s 2 @3 PUT busy=3 c2 m3 v2
                > put other 4
                > compact 4
                s 0 progress @4
                """);
    }

    @Test
    void a_watcher_whose_place_is_not_endangered_is_not_told() {
        script.check("""
                > put busy 2
                > put busy 3
                > s create quiet progress
                s 0 created @3
                > compact 3
                > put busy 4
                > compact 4
                """);
    }

    @Test
    void changes_that_are_not_listed_are_read_from_the_store() {
        script.check("""
                > put many 2
                > s create many
                s 0 created @2
                > s create quiet prev
                s 1 created @2
                > s create many start=2
                s 2 created @2
                s 2 @2 PUT many=2 c2 m2 v1
                > s create many start=4
                s 3 created @2
                > s create many start=100
                s 4 created @2
                > omit 5
                s 3 @5 PUT many=4 c2 m4 v3; PUT many=5 c2 m5 v4
                s 2 @5 PUT many=3 c2 m3 v2; PUT many=4 c2 m4 v3; PUT many=5 c2 m5 v4
                s 0 @5 PUT many=3 c2 m3 v2; PUT many=4 c2 m4 v3; PUT many=5 c2 m5 v4
                > put quiet 6
                s 1 @6 PUT quiet=6 c6 m6 v1
                > s create many start=2
                s 5 created @6
                s 5 @6 PUT many=2 c2 m2 v1; PUT many=3 c2 m3 v2; PUT many=4 c2 m4 v3; PUT many=5 c2 m5 v4
                """);
    }

    @Test
    void unsynced_and_victims_live_through_changes_that_are_not_listed() {
        script.check("""
                > put many 2
                > s create many
                s 0 created @2
                > s room 0
                > put many 3
                > t create other
                t 0 created @3
                > hold
                > t create many start=2
                t 1 created @3
                > omit 5
                > run
                t 1 @5 PUT many=2 c2 m2 v1; PUT many=3 c2 m3 v2; PUT many=4 c2 m4 v3; PUT many=5 c2 m5 v4
                > s room all
                s 0 @5 PUT many=3 c2 m3 v2; PUT many=4 c2 m4 v3; PUT many=5 c2 m5 v4
                """);
    }

    @Test
    void an_idle_watcher_survives_a_compaction_among_changes_that_are_not_listed() {
        script.check("""
                > s create quiet
                s 0 created @1
                > put other 2
                > put other 3
                > put other 4
                > hold
                > omit 9
                > compact 4 drop
                > run
                > put quiet 10
                s 0 @10 PUT quiet=10 c10 m10 v1
                """);
    }

    @Test
    void compaction_of_changes_that_are_not_listed_cancels_synced_watchers_that_may_have_missed_some() {
        script.check("""
                > put other 2
                > s create quiet
                s 0 created @2
                > s create quiet start=9
                s 1 created @2
                > s create other start=5
                s 2 created @2
                > hold
                > omit 8
                > compact 6 drop
                > run
                s 0 canceled @0 compact_revision 6
                s 2 canceled @0 compact_revision 6
                > put quiet 9
                s 1 @9 PUT quiet=9 c9 m9 v1
                """);
    }

    @Test
    void a_store_that_cannot_be_read_fails_the_streams_that_need_it() {
        fromStore.puts(2, revision -> "k");
        fromStore.store().failScans(new IllegalStateException("bad block"));
        fromStore.check("""
                > t create other
                t 0 created @3
                > s create k start=2
                s 0 created @3
                s failed: bad block
                """);
        fromStore.store().failScans(null);
        fromStore.check("""
                > put other 4
                t 0 @4 PUT other=4 c4 m4 v1
                """);
    }
}
