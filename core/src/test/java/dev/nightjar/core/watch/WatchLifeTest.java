/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How watchers and streams come and go, as transcripts: ids, refusals, cancels, closes. */
class WatchLifeTest {
    private final WatchScript script = new WatchScript();

    @Test
    void an_empty_range_is_refused_and_the_stream_goes_on() {
        script.check("""
                > s create a to=a
                s -1 created canceled @1 "mvcc: watcher range is empty"
                > s create b to=a
                s -1 created canceled @1 "mvcc: watcher range is empty"
                > s create foo to=\\x00
                s 0 created @1
                > put zoo 1
                s 0 @2 PUT zoo=1 c2 m2 v1
                """);
    }

    @Test
    void a_negative_start_is_refused_before_anything_else() {
        script.check("""
                > s create b to=a start=-1 id=-1
                s -1 created canceled @1 "etcdserver: mvcc: required revision has been compacted"
                > s create b start=-9223372036854775808
                s -1 created canceled @1 "etcdserver: mvcc: required revision has been compacted"
                > s create b
                s 0 created @1
                """);
    }

    @Test
    void ids_are_given_in_order_and_may_be_chosen() {
        script.check("""
                > s create foo id=1
                s 1 created @1
                > s create foo id=1
                s -1 created canceled @1 "mvcc: duplicate watch ID provided on the WatchStream"
                > s create foo
                s 0 created @1
                > s create foo
                s 2 created @1
                > t create foo
                t 0 created @1
                > s create foo id=-7
                s -7 created @1
                > s create foo id=-1
                s -1 created canceled @1 "mvcc: watch ID -1 is reserved"
                > s cancel 1
                s 1 canceled @1
                > s create foo id=1
                s 1 created @1
                """);
    }

    @Test
    void a_canceled_watcher_is_silent_and_an_unknown_id_gets_no_answer() {
        script.check("""
                > put foo 2
                > s create foo
                s 0 created @2
                > s create foo start=1
                s 1 created @2
                s 1 @2 PUT foo=2 c2 m2 v1
                > s cancel 0
                s 0 canceled @2
                > s cancel 0
                > s cancel 99
                > hold
                > s create foo start=1
                s 2 created @2
                > s cancel 2
                s 2 canceled @2
                > run
                > put foo 3
                s 1 @3 PUT foo=3 c2 m3 v2
                """);
    }

    @Test
    void events_on_their_way_come_before_the_canceled_response() {
        script.check("""
                > s create foo
                s 0 created @1
                > hold
                > put foo 2
                > s cancel 0
                s 0 canceled @2
                > s create foo id=0 start=3
                s 1 created @2
                > put foo 3
                > run
                s 1 @3 PUT foo=3 c2 m3 v2
                """);
    }

    @Test
    void created_comes_before_events_and_all_streams_are_served() {
        script.check("""
                > put foo 2
                > hold
                > s create foo start=2
                s 0 created @2
                > t create foo start=1
                t 0 created @2
                > put foo 3
                > run
                t 0 @3 PUT foo=2 c2 m2 v1; PUT foo=3 c2 m3 v2
                s 0 @3 PUT foo=2 c2 m2 v1; PUT foo=3 c2 m3 v2
                """);
    }

    @Test
    void a_refusal_of_the_caller_goes_the_same_way() {
        script.check("""
                > s refuse denied
                s -1 created canceled @1 "denied"
                > s create foo
                s 0 created @1
                """);
    }

    @Test
    void a_closed_stream_is_silent_and_its_watchers_are_gone() {
        script.check("""
                > s create foo
                s 0 created @1
                > t create foo
                t 0 created @1
                > s close
                > put foo 2
                t 0 @2 PUT foo=2 c2 m2 v1
                """);
        assertThat(script.counters().states()).isEqualTo("1/0/0");
        assertThat(script.counters().streams).isEqualTo(1);
    }

    @Test
    void a_loop_is_told_once_for_many_writes_and_not_at_all_while_nobody_watches() {
        script.puts(3, revision -> "foo");
        assertThat(script.loop().size()).isZero();
        script.check("""
                > s create foo
                s 0 created @4
                > hold
                """);
        script.puts(3, revision -> "foo");
        assertThat(script.loop().size()).isEqualTo(1);
        script.check("""
                > run
                s 0 @7 PUT foo=5 c2 m5 v4; PUT foo=6 c2 m6 v5; PUT foo=7 c2 m7 v6
                > s cancel 0
                s 0 canceled @7
                """);
        script.puts(3, revision -> "foo");
        assertThat(script.loop().size()).isZero();
        script.check("""
                > s create foo
                s 1 created @10
                > put foo 11
                s 1 @11 PUT foo=11 c2 m11 v10
                """);
    }

    @Test
    void what_is_queued_when_the_shard_closes_is_dropped_without_a_word() {
        script.puts(3, revision -> "foo");
        script.check("""
                > s create foo
                s 0 created @4
                > hold
                > s create foo start=2
                s 1 created @4
                > put foo 5
                """);
        script.shard().close();
        script.check("""
                > run
                > put foo 6
                > s cancel 0
                """);
        assertThat(script.counters().states()).isEqualTo("0/0/0");
    }
}
