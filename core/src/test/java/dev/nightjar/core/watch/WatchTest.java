/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import org.junit.jupiter.api.Test;

/** Which events a client of one shard sees, as transcripts. Revisions count from a fresh store, which is at 1. */
class WatchTest {
    private final WatchScript script = new WatchScript();

    @Test
    void a_watcher_from_now_gets_what_is_written_after_it() {
        script.check("""
                > put foo old
                > s create foo
                s 0 created @2
                > put foo new
                s 0 @3 PUT foo=new c2 m3 v2
                > put other x
                """);
    }

    @Test
    void the_first_watch_on_a_fresh_store() {
        script.check("""
                > s create foo
                s 0 created @1
                > put foo bar
                s 0 @2 PUT foo=bar c2 m2 v1
                """);
    }

    @Test
    void an_empty_value_is_a_put_and_a_delete_of_nothing_is_nothing() {
        script.check("""
                > s create foo
                s 0 created @1
                > put foo
                s 0 @2 PUT foo= c2 m2 v1
                > del nothing
                > del foo
                s 0 @3 DELETE foo m3
                > put foo again
                s 0 @4 PUT foo=again c4 m4 v1
                """);
    }

    @Test
    void ranges_follow_the_conventions_of_the_api() {
        script.check("""
                > s create foo
                s 0 created @1
                > s create fo to=fp
                s 1 created @1
                > s create foo to=\\x00
                s 2 created @1
                > s create - to=\\x00
                s 3 created @1
                > s create -
                s 4 created @1
                > s create - to=fo
                s 5 created @1
                > s create a\\xff to=b
                s 6 created @1
                > s create fop to=fzz
                s 7 created @1
                > put \\x00 1
                s 4 @2 PUT \\x00=1 c2 m2 v1
                s 5 @2 PUT \\x00=1 c2 m2 v1
                s 3 @2 PUT \\x00=1 c2 m2 v1
                > put a\\xff 2
                s 6 @3 PUT a\\xff=2 c3 m3 v1
                s 5 @3 PUT a\\xff=2 c3 m3 v1
                s 3 @3 PUT a\\xff=2 c3 m3 v1
                > put fo 3
                s 1 @4 PUT fo=3 c4 m4 v1
                s 3 @4 PUT fo=3 c4 m4 v1
                > put foo 4
                s 1 @5 PUT foo=4 c5 m5 v1
                s 0 @5 PUT foo=4 c5 m5 v1
                s 3 @5 PUT foo=4 c5 m5 v1
                s 2 @5 PUT foo=4 c5 m5 v1
                > put fop 5
                s 1 @6 PUT fop=5 c6 m6 v1
                s 7 @6 PUT fop=5 c6 m6 v1
                s 3 @6 PUT fop=5 c6 m6 v1
                s 2 @6 PUT fop=5 c6 m6 v1
                > put \\xff\\xff 6
                s 3 @7 PUT \\xff\\xff=6 c7 m7 v1
                s 2 @7 PUT \\xff\\xff=6 c7 m7 v1
                """);
    }

    @Test
    void a_start_in_the_future_waits_for_exactly_its_revision() {
        script.check("""
                > s create foo start=10
                s 0 created @1
                > s create foo start=9223372036854775807
                s 1 created @1
                > put foo 2
                > put foo 3
                > put foo 4
                > put foo 5
                > put foo 6
                > put foo 7
                > put foo 8
                > put foo 9
                > put foo 10
                s 0 @10 PUT foo=10 c2 m10 v9
                """);
    }

    @Test
    void history_is_replayed_from_the_start_revision() {
        script.check("""
                > put a 2
                > put b 3
                > put a 4
                > put b 5
                > s create a to=c start=1
                s 0 created @5
                s 0 @5 PUT a=2 c2 m2 v1; PUT b=3 c3 m3 v1; PUT a=4 c2 m4 v2; PUT b=5 c3 m5 v2
                > s create a to=c start=5
                s 1 created @5
                s 1 @5 PUT b=5 c3 m5 v2
                > put a 6
                s 1 @6 PUT a=6 c2 m6 v3
                s 0 @6 PUT a=6 c2 m6 v3
                """);
    }

    @Test
    void a_transaction_is_one_response_live_and_replayed() {
        script.check("""
                > s create a to=z
                s 0 created @1
                > txn put a 1, put b 2, put c 3
                s 0 @2 PUT a=1 c2 m2 v1; PUT b=2 c2 m2 v1; PUT c=3 c2 m2 v1
                > s create a to=z start=2
                s 1 created @2
                s 1 @2 PUT a=1 c2 m2 v1; PUT b=2 c2 m2 v1; PUT c=3 c2 m2 v1
                > delrange a c
                s 1 @3 DELETE a m3; DELETE b m3
                s 0 @3 DELETE a m3; DELETE b m3
                """);
    }

    @Test
    void revisions_of_one_turn_share_a_response_whose_header_is_the_last_of_them() {
        script.check("""
                > s create a to=c
                s 0 created @1
                > s create b
                s 1 created @1
                > hold
                > put a 2
                > put b 3
                > put c 4
                > run
                s 0 @3 PUT a=2 c2 m2 v1; PUT b=3 c3 m3 v1
                s 1 @3 PUT b=3 c3 m3 v1
                """);
    }

    @Test
    void what_is_written_before_the_create_is_not_for_a_watcher_from_now_even_if_the_loop_has_not_seen_it() {
        script.check("""
                > s create other
                s 0 created @1
                > hold
                > put foo 2
                > s create foo
                s 1 created @2
                > s create foo start=2
                s 2 created @2
                > put foo 3
                > run
                s 2 @3 PUT foo=2 c2 m2 v1; PUT foo=3 c2 m3 v2
                s 1 @3 PUT foo=3 c2 m3 v2
                """);
    }

    @Test
    void filters_drop_their_kind_of_event() {
        script.check("""
                > s create foo noput
                s 0 created @1
                > s create foo nodelete
                s 1 created @1
                > s create foo noput nodelete
                s 2 created @1
                > put foo bar
                s 1 @2 PUT foo=bar c2 m2 v1
                > del foo
                s 0 @3 DELETE foo m3
                > s create foo start=1 noput
                s 3 created @3
                s 3 @3 DELETE foo m3
                """);
    }

    @Test
    void previous_values_come_with_updates_and_deletes_for_those_who_asked() {
        script.check("""
                > s create x prev
                s 0 created @1
                > s create x
                s 1 created @1
                > put x 1
                s 1 @2 PUT x=1 c2 m2 v1
                s 0 @2 PUT x=1 c2 m2 v1
                > put x 2
                s 1 @3 PUT x=2 c2 m3 v2
                s 0 @3 PUT x=2 c2 m3 v2 was x=1 c2 m2 v1
                > del x
                s 1 @4 DELETE x m4
                s 0 @4 DELETE x m4 was x=2 c2 m3 v2
                > put x 3
                s 1 @5 PUT x=3 c5 m5 v1
                s 0 @5 PUT x=3 c5 m5 v1
                > t create x start=2 prev nodelete
                t 0 created @5
                t 0 @5 PUT x=1 c2 m2 v1; PUT x=2 c2 m3 v2 was x=1 c2 m2 v1; PUT x=3 c5 m5 v1
                """);
    }
}
