/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Every limit of turns, responses and streams is reached here; those of catching up are in {@link WatchCatchUpTest}. */
class WatchLimitsTest {
    private static final long PLENTY = WatchLimits.DEFAULT.historyBytes();

    private static WatchLimits turn(int changes, long bytes, int responses) {
        return new WatchLimits(
                PLENTY,
                new WatchLimits.Turn(changes, bytes, responses),
                WatchLimits.CatchUp.DEFAULT,
                WatchLimits.Revision.DEFAULT,
                WatchLimits.Stream.DEFAULT,
                WatchLimits.DEFAULT.progressInterval());
    }

    private static WatchLimits stream(WatchLimits.Stream stream) {
        return new WatchLimits(
                PLENTY,
                WatchLimits.Turn.DEFAULT,
                WatchLimits.CatchUp.DEFAULT,
                WatchLimits.Revision.DEFAULT,
                stream,
                WatchLimits.DEFAULT.progressInterval());
    }

    @Test
    void a_turn_ends_with_the_revision_that_reaches_the_number_of_changes() {
        new WatchScript(turn(4, PLENTY, 1000), PLENTY).check("""
                > s create a to=z
                s 0 created @1
                > hold
                > txn put a 2, put b 2, put c 2
                > txn put a 3, put b 3, put c 3
                > txn put a 4
                > run
                s 0 @3 PUT a=2 c2 m2 v1; PUT b=2 c2 m2 v1; PUT c=2 c2 m2 v1; PUT a=3 c2 m3 v2; PUT b=3 c2 m3 v2; PUT c=3 c2 m3 v2
                s 0 @4 PUT a=4 c2 m4 v3
                """);
    }

    @Test
    void a_turn_ends_with_the_revision_that_reaches_the_bytes() {
        new WatchScript(turn(1000, 20, 1000), PLENTY).check("""
                > s create a
                s 0 created @1
                > hold
                > put a 22222222
                > put a 33333333
                > put b 44444444
                > put a 55555555
                > run
                s 0 @3 PUT a=22222222 c2 m2 v1; PUT a=33333333 c2 m3 v2
                s 0 @5 PUT a=55555555 c2 m5 v3
                """);
    }

    @Test
    void the_responses_of_a_turn_are_spread_over_tasks_and_nothing_overtakes() {
        WatchScript script = new WatchScript(turn(1000, PLENTY, 1), PLENTY);
        script.check("""
                > a create k
                a 0 created @1
                > b create k
                b 0 created @1
                > c create k progress
                c 0 created @1
                > hold
                > put k 2
                """);
        script.loop().runOne();
        assertThat(script.takeOutput()).containsExactly("c 0 @2 PUT k=2 c2 m2 v1");
        script.check("""
                > put k 3
                > b progress
                b 0 @2 PUT k=2 c2 m2 v1
                b -1 progress @2
                > d create k
                d 0 created @3
                > a cancel 0
                a 0 @2 PUT k=2 c2 m2 v1
                a 0 canceled @3
                > run
                c 0 @3 PUT k=3 c2 m3 v2
                b 0 @3 PUT k=3 c2 m3 v2
                """);
    }

    @Test
    void a_response_ends_with_the_revision_that_reaches_its_bytes() {
        WatchScript script = new WatchScript(stream(new WatchLimits.Stream(10, 10, 20, PLENTY, 10)), PLENTY);
        script.check("""
                > s create a
                s 0 created @1
                > s create a prev
                s 1 created @1
                > hold
                > put a 22222222
                > put a 33333333
                > put a 44444444
                > run
                s 1 @3 PUT a=22222222 c2 m2 v1; PUT a=33333333 c2 m3 v2 was a=22222222 c2 m2 v1
                s 1 @4 PUT a=44444444 c2 m4 v3 was a=33333333 c2 m3 v2
                s 0 @3 PUT a=22222222 c2 m2 v1; PUT a=33333333 c2 m3 v2
                s 0 @4 PUT a=44444444 c2 m4 v3
                """);
    }

    @Test
    void a_stream_that_fills_up_between_two_responses_of_a_turn_goes_on_with_the_second() {
        new WatchScript(stream(new WatchLimits.Stream(10, 10, 1, PLENTY, 10)), PLENTY).check("""
                > s create a
                s 0 created @1
                > s room 1
                > hold
                > put a 2
                > put a 3
                > run
                s 0 @2 PUT a=2 c2 m2 v1
                > s room all
                s 0 @3 PUT a=3 c2 m3 v2
                """);
    }

    @Test
    void a_large_response_is_split_for_those_who_allow_it_and_its_parts_are_contiguous() {
        new WatchScript(stream(new WatchLimits.Stream(10, 10, PLENTY, 40, 10)), PLENTY).check("""
                > s create a to=z fragment
                s 0 created @1
                > s create a to=z
                s 1 created @1
                > s room 1
                > txn put a 2222, put b 2222, put c 2222
                s 1 @2 PUT a=2222 c2 m2 v1; PUT b=2222 c2 m2 v1; PUT c=2222 c2 m2 v1
                > s room 1
                s 0 @2 PUT a=2222 c2 m2 v1 ...
                s 0 @2 PUT b=2222 c2 m2 v1 ...
                s 0 @2 PUT c=2222 c2 m2 v1
                > s room all
                > put a 3
                s 0 @3 PUT a=3 c2 m3 v2
                s 1 @3 PUT a=3 c2 m3 v2
                > s create a to=z start=2 fragment
                s 2 created @3
                s 2 @3 PUT a=2222 c2 m2 v1 ...
                s 2 @3 PUT b=2222 c2 m2 v1 ...
                s 2 @3 PUT c=2222 c2 m2 v1; PUT a=3 c2 m3 v2
                """);
    }

    @Test
    void too_many_watchers_are_refused_for_stream_and_connection() {
        new WatchScript(stream(new WatchLimits.Stream(2, 3, PLENTY, PLENTY, 10)), PLENTY).check("""
                > s create a
                s 0 created @1
                > s create a
                s 1 created @1
                > s create a
                s -1 created canceled @1 "etcdserver: too many watchers on the stream"
                > t create a
                t 0 created @1
                > t create a
                t -1 created canceled @1 "etcdserver: too many watchers on the connection"
                > s cancel 0
                s 0 canceled @1
                > t create a
                t 1 created @1
                > t close
                > s create a
                s 2 created @1
                > u create a
                u 0 created @1
                > u create a
                u -1 created canceled @1 "etcdserver: too many watchers on the connection"
                """);
    }

    @Test
    void the_oldest_id_canceled_by_compaction_is_forgotten() {
        new WatchScript(stream(new WatchLimits.Stream(10, 10, PLENTY, PLENTY, 2)), PLENTY).check("""
                > put a 2
                > put a 3
                > compact 3
                > s create a start=2
                s 0 created @3
                s 0 canceled @0 compact_revision 3
                > s create a start=2
                s 1 created @3
                s 1 canceled @0 compact_revision 3
                > s create a start=2
                s 2 created @3
                s 2 canceled @0 compact_revision 3
                > s cancel 0
                > s cancel 1
                s 1 canceled @3
                > s cancel 2
                s 2 canceled @3
                """);
    }

    @Test
    void a_loop_that_was_held_up_reads_what_it_missed_in_chunks_and_its_watchers_stay_synced() {
        WatchScript script = new WatchScript(turn(4, PLENTY, 1000), 1000);
        script.check("""
                > s create k
                s 0 created @1
                > hold
                """);
        script.puts(20, revision -> "k");
        script.run();
        assertThat(script.counters().states()).isEqualTo("1/0/0");
        assertThat(script.counters().events).isEqualTo(20);
        assertThat(script.takeOutput())
                .hasSize(5)
                .allMatch(
                        line -> IntStream.rangeClosed(2, 21).anyMatch(revision -> line.startsWith("s 0 @" + revision)));
        assertThat(script.store().scannedChanges()).isBetween(12, 20);
    }

    @Test
    void a_walk_that_is_overtaken_in_the_middle_of_a_revision_sees_it_again_as_a_whole() {
        WatchScript script = new WatchScript(WatchLimits.DEFAULT, 2000);
        script.check("""
                > s create a to=z
                s 0 created @1
                > hold
                > txn put a 1, put b 2, put c 3
                """);
        script.history().before(3, () -> script.puts(20, revision -> "d"));
        script.run();
        String events = String.join("\n", script.takeOutput());
        assertThat(script.counters().events).isEqualTo(23);
        assertThat(events).startsWith("s 0 @").contains("PUT a=1 c2 m2 v1; PUT b=2 c2 m2 v1; PUT c=3 c2 m2 v1");
        assertThat(script.counters().states()).isEqualTo("1/0/0");
    }

    @Test
    void a_chunk_for_watchers_that_are_gone_when_it_comes_is_ignored() {
        WatchScript script = new WatchScript(turn(4, PLENTY, 1000), 1000);
        script.check("""
                > s create k
                s 0 created @1
                > hold
                """);
        script.puts(20, revision -> "k");
        script.loop().runOne();
        assertThat(script.reader().size()).isEqualTo(1);
        script.check("""
                > s cancel 0
                s 0 canceled @21
                > s create k
                s 1 created @21
                """);
        assertThat(script.shard().cursor()).isEqualTo(21);
        boolean ran = true;
        while (ran) {
            ran = script.reader().runOne() || script.loop().runOne();
            assertThat(script.shard().cursor()).as("never back").isEqualTo(21);
        }
        assertThat(script.takeOutput()).isEmpty();
    }

    @Test
    void a_compaction_while_a_chunk_is_read_cancels_who_may_have_missed_something() {
        WatchScript script = new WatchScript(turn(4, PLENTY, 1000), 1000);
        script.check("""
                > s create k
                s 0 created @1
                > s create k start=20
                s 1 created @1
                > hold
                """);
        script.puts(20, revision -> "k");
        script.store().duringScan(() -> {
            script.store().compact(15);
            script.store().dropCompacted();
        });
        script.run();
        assertThat(script.takeOutput()).first().isEqualTo("s 0 canceled @0 compact_revision 15");
        assertThat(script.counters().events).isEqualTo(2);
    }

    @Test
    void compaction_progress_is_spread_over_tasks() {
        WatchScript script = new WatchScript(turn(1000, PLENTY, 1), PLENTY);
        script.check("""
                > a create q progress
                a 0 created @1
                > b create q progress
                b 0 created @1
                > put other 2
                > put other 3
                > hold
                """);
        script.watchable().compacting(3);
        script.loop().runOne();
        assertThat(script.takeOutput()).hasSize(1);
        script.run();
        assertThat(script.takeOutput()).hasSize(1);
    }

    @Test
    void compaction_progress_waits_until_the_cursor_is_there() {
        WatchScript script = new WatchScript(turn(1, PLENTY, 10), PLENTY);
        script.check("""
                > s create quiet progress
                s 0 created @1
                > hold
                """);
        script.puts(5, revision -> "other");
        script.watchable().compacting(5);
        script.run();
        assertThat(script.takeOutput()).containsExactly("s 0 progress @5");
    }
}
