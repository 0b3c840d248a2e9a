/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Streams that do not take what there is for them: victims, and their way back. */
class WatchSlowStreamTest {
    private final WatchScript script = new WatchScript();

    /** Room for the latest few changes only. */
    private static WatchScript withHistoryOf(int changes) {
        return new WatchScript(
                WatchLimits.DEFAULT,
                (long) changes * (EventHistory.CHANGE_OVERHEAD_BYTES + EventHistory.SMALL_PREVIOUS_BYTES + 20));
    }

    @Test
    void a_victim_goes_on_where_it_stopped_and_is_synced_again() {
        script.check("""
                > s create foo
                s 0 created @1
                > s room 1
                > put foo 2
                s 0 @2 PUT foo=2 c2 m2 v1
                > put foo 3
                > put foo 4
                > s room all
                s 0 @4 PUT foo=3 c2 m3 v2; PUT foo=4 c2 m4 v3
                > put foo 5
                s 0 @5 PUT foo=5 c2 m5 v4
                """);
        assertThat(script.store().scans()).as("the recent history was enough").isZero();
    }

    @Test
    void only_watchers_with_something_to_get_are_victims() {
        script.check("""
                > s create a
                s 0 created @1
                > s create b
                s 1 created @1
                > t create a
                t 0 created @1
                > s room 0
                > put a 2
                t 0 @2 PUT a=2 c2 m2 v1
                """);
        assertThat(script.counters().states()).isEqualTo("2/0/1");
        script.check("""
                > s room all
                s 0 @2 PUT a=2 c2 m2 v1
                """);
        assertThat(script.counters().states()).isEqualTo("3/0/0");
    }

    @Test
    void filtered_events_make_no_victim() {
        script.check("""
                > s create a noput
                s 0 created @1
                > s room 0
                > put a 2
                > put a 3
                """);
        assertThat(script.counters().states()).isEqualTo("1/0/0");
    }

    @Test
    void several_watchers_of_a_stream_that_takes_one_response_at_a_time_get_all_events_once() {
        script.check("""
                > s create a
                s 0 created @1
                > s create - to=\\x00
                s 1 created @1
                > s room 1
                > put a 2
                s 0 @2 PUT a=2 c2 m2 v1
                > put a 3
                > s room 1
                s 1 @3 PUT a=2 c2 m2 v1; PUT a=3 c2 m3 v2
                > put b 4
                > s room 1
                s 1 @4 PUT b=4 c4 m4 v1
                > s room 1
                s 0 @4 PUT a=3 c2 m3 v2
                > s room 1
                > put a 5
                s 0 @5 PUT a=5 c2 m5 v3
                > s room all
                s 1 @5 PUT a=5 c2 m5 v3
                """);
    }

    @Test
    void a_victim_whose_next_revision_left_the_recent_history_is_caught_up_from_the_store() {
        WatchScript small = withHistoryOf(2);
        small.check("""
                > s create foo
                s 0 created @1
                > s room 0
                > put foo 2
                > put foo 3
                > put foo 4
                > put foo 5
                > s room all
                s 0 @5 PUT foo=2 c2 m2 v1; PUT foo=3 c2 m3 v2; PUT foo=4 c2 m4 v3; PUT foo=5 c2 m5 v4
                > put foo 6
                s 0 @6 PUT foo=6 c2 m6 v5
                """);
        assertThat(small.store().scans()).isEqualTo(1);
    }

    @Test
    void a_victim_needs_nothing_from_before_it_stopped() {
        WatchScript small = withHistoryOf(2);
        small.check("""
                > s create foo
                s 0 created @1
                > put other 2
                > put other 3
                > put other 4
                > put other 5
                > compact 5 drop
                > s room 0
                > put foo 6
                > s room all
                s 0 @6 PUT foo=6 c6 m6 v1
                """);
        assertThat(small.store().scans()).isZero();
    }

    @Test
    void a_victim_overtaken_by_compaction_gets_what_was_sent_then_one_cancel_and_nothing_after_it() {
        withHistoryOf(2).check("""
                > s create foo
                s 0 created @1
                > s room 1
                > put foo 2
                s 0 @2 PUT foo=2 c2 m2 v1
                > put foo 3
                > put foo 4
                > put foo 5
                > put foo 6
                > compact 6 drop
                > s room all
                s 0 canceled @0 compact_revision 6
                > put foo 7
                > s cancel 0
                s 0 canceled @7
                > s cancel 0
                """);
    }

    @Test
    void a_victim_within_the_recent_history_misses_nothing_though_it_is_compacted() {
        script.check("""
                > put x 2
                > s create x prev
                s 0 created @2
                > s room 0
                > del x
                > put y 4
                > compact 4
                > s room all
                s 0 @4 DELETE x m3 was x=2 c2 m2 v1
                > put x 5
                s 0 @5 PUT x=5 c5 m5 v1
                """);
    }

    @Test
    void a_victim_may_be_canceled() {
        script.check("""
                > s create foo
                s 0 created @1
                > s room 0
                > put foo 2
                > s cancel 0
                s 0 canceled @2
                > s create foo id=5
                s 5 created @2
                > s room all
                > put foo 3
                s 5 @3 PUT foo=3 c2 m3 v2
                """);
        assertThat(script.counters().states()).isEqualTo("1/0/0");
    }

    @Test
    void a_stream_that_fills_up_while_it_is_caught_up_goes_on_later_without_gap_or_repeat() {
        WatchScript small = withHistoryOf(2);
        small.puts(6, revision -> "foo");
        small.check("""
                > hold
                > s create foo start=2
                s 0 created @7
                > s create foo start=6
                s 1 created @7
                > s create foo start=4
                s 2 created @7
                > s room 1
                > run
                s 0 @7 PUT foo=2 c2 m2 v1; PUT foo=3 c2 m3 v2; PUT foo=4 c2 m4 v3; PUT foo=5 c2 m5 v4; PUT foo=6 c2 m6 v5; PUT foo=7 c2 m7 v6
                > s room 1
                s 2 @7 PUT foo=4 c2 m4 v3; PUT foo=5 c2 m5 v4; PUT foo=6 c2 m6 v5; PUT foo=7 c2 m7 v6
                > s room 1
                s 1 @7 PUT foo=6 c2 m6 v5; PUT foo=7 c2 m7 v6
                """);
    }

    @Test
    void more_victims_than_are_taken_up_at_a_time_all_come_back() {
        int watchers = CatchUp.RESUMED_VICTIMS * 2 + 1;
        WatchStream stream = script.stream("s");
        for (int i = 0; i < watchers; i++) {
            stream.create(new WatchCreate(
                    new byte[] {'a'}, new byte[0], 0, 0, new WatchCreate.Options(false, false, false, false, false)));
        }
        script.run();
        script.sink("s").room(0);
        script.puts(1, revision -> "a");
        script.run();
        assertThat(script.counters().states()).isEqualTo("0/0/" + watchers);
        script.takeOutput();

        script.sink("s").room(Transcript.UNLIMITED);
        stream.writable();
        script.run();

        assertThat(script.takeOutput()).hasSize(watchers).doesNotHaveDuplicates();
        assertThat(script.counters().states()).isEqualTo(watchers + "/0/0");
    }

    @Test
    void a_sink_that_throws_costs_its_own_stream_only() {
        script.check("""
                > s create foo
                s 0 created @1
                > t create foo
                t 0 created @1
                """);
        script.sink("s").breakDown(new IllegalStateException("broken pipe"));
        script.check("""
                > put foo 2
                t 0 @2 PUT foo=2 c2 m2 v1
                s failed: broken pipe
                > s create foo
                > s cancel 0
                > s progress
                > put foo 3
                t 0 @3 PUT foo=3 c2 m3 v2
                """);
        assertThat(script.counters().failures).isEqualTo(1);
        assertThat(script.counters().states()).isEqualTo("1/0/0");
    }

    @Test
    void a_stream_may_be_closed_while_it_is_written_to() {
        script.check("""
                > s create foo
                s 0 created @1
                > s create foo
                s 1 created @1
                > t create foo
                t 0 created @1
                > s room 1
                """);
        script.sink("s").onEvents(script.stream("s")::close);
        script.check("""
                > put foo 2
                t 0 @2 PUT foo=2 c2 m2 v1
                s 1 @2 PUT foo=2 c2 m2 v1
                > put foo 3
                t 0 @3 PUT foo=3 c2 m3 v2
                """);
        assertThat(script.counters().states()).isEqualTo("1/0/0");
    }

    @Test
    void a_stream_may_be_closed_while_it_is_caught_up() {
        WatchScript small = withHistoryOf(2);
        small.puts(6, revision -> "foo");
        small.sink("s").onEvents(small.stream("s")::close);
        small.check("""
                > hold
                > s create foo start=2
                s 0 created @7
                > s create foo start=2
                s 1 created @7
                > s room 1
                > run
                s 0 @7 PUT foo=2 c2 m2 v1; PUT foo=3 c2 m3 v2; PUT foo=4 c2 m4 v3; PUT foo=5 c2 m5 v4; PUT foo=6 c2 m6 v5; PUT foo=7 c2 m7 v6
                """);
        assertThat(small.counters().states()).isEqualTo("0/0/0");
    }

    @Test
    void a_sink_may_say_that_it_is_writable_while_it_is_written_to() {
        script.check("""
                > s create foo
                s 0 created @1
                > s create foo
                s 1 created @1
                > s room 1
                """);
        script.sink("s").onEvents(() -> {
            if (script.sink("s").room(1)) {
                script.stream("s").writable();
            }
        });
        script.check("""
                > put foo 2
                s 1 @2 PUT foo=2 c2 m2 v1
                s 0 @2 PUT foo=2 c2 m2 v1
                """);
    }
}
