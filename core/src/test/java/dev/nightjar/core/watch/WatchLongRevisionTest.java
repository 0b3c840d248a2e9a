/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import org.junit.jupiter.api.Test;

/** A revision with more events than are held at a time is sent as it is read, and is still one response. */
class WatchLongRevisionTest {
    private static WatchLimits limits(long historyBytes, long responseBytes, long heldBytes) {
        return new WatchLimits(
                historyBytes,
                WatchLimits.Turn.DEFAULT,
                WatchLimits.CatchUp.DEFAULT,
                new WatchLimits.Revision(responseBytes, heldBytes, 10, 2),
                WatchLimits.Stream.DEFAULT,
                WatchLimits.DEFAULT.progressInterval());
    }

    /** Responses of more than two changes are long. */
    private final WatchScript script = new WatchScript(limits(1 << 20, 400, 1000), 1 << 20);

    @Test
    void one_message_comes_in_parts() {
        script.check("""
                > put a1 2
                > put a2 3
                > put a3 4
                > put b 5
                > s create a to=b
                s 0 created @5
                > delrange a c
                s 0 @6 (36) DELETE a1 m6 +
                s     DELETE a2 m6 +
                s     DELETE a3 m6
                > put a1 7
                s 0 @7 PUT a1=7 c7 m7 v1
                """);
    }

    @Test
    void fragments_are_messages_of_their_own() {
        script.check("""
                > put a1 2
                > put a2 3
                > put a3 4
                > put b 5
                > s create a to=b fragment prev
                s 0 created @5
                > delrange a c
                s 0 @6 DELETE a1 m6 was a1=2 c2 m2 v1 ...
                s 0 @6 DELETE a2 m6 was a2=3 c3 m3 v1 ...
                s 0 @6 DELETE a3 m6 was a3=4 c4 m4 v1
                > put a1 7
                s 0 @7 PUT a1=7 c7 m7 v1
                """);
    }

    @Test
    void a_watcher_that_lags_behind_gets_it_as_well() {
        script.check("""
                > put a1 2
                > put a2 3
                > put a3 4
                > put b 5
                > delrange a c
                > put a1 7
                > s create a to=b start=5
                s 0 created @7
                s 0 @7 (36) DELETE a1 m6 +
                s     DELETE a2 m6 +
                s     DELETE a3 m6
                s 0 @7 PUT a1=7 c7 m7 v1
                """);
    }

    @Test
    void a_watcher_of_little_in_it_gets_that_at_once() {
        script.check("""
                > put a1 2
                > put a2 3
                > put a3 4
                > put b 5
                > s create a1 id=1
                s 1 created @5
                > s create a to=b id=2
                s 2 created @5
                > s create b id=3
                s 3 created @5
                > delrange a c
                s 1 @6 DELETE a1 m6
                s 3 @6 DELETE b m6
                s 2 @6 (36) DELETE a1 m6 +
                s     DELETE a2 m6 +
                s     DELETE a3 m6
                """);
    }

    @Test
    void nothing_else_is_said_on_the_stream_until_its_end() {
        script.check("""
                > put a1 2
                > put a2 3
                > put a3 4
                > put b 5
                > s create a to=b id=1
                s 1 created @5
                > s create b id=2
                s 2 created @5
                > s room 2
                > delrange a c
                s 2 @6 DELETE b m6
                s 1 @6 (36) DELETE a1 m6 +
                > put b 7
                > s create c id=3
                > s cancel 2
                > s progress
                > s room all
                s     DELETE a2 m6 +
                s     DELETE a3 m6
                s 3 created @7
                s 2 canceled @7
                """);
    }

    @Test
    void a_watcher_that_is_canceled_before_gets_nothing() {
        script.check("""
                > put a1 2
                > put a2 3
                > put a3 4
                > put b 5
                > s create a to=b id=1
                s 1 created @5
                > s room 0
                > delrange a c
                > s cancel 1
                s 1 canceled @6
                > s room all
                """);
    }

    @Test
    void one_that_compaction_overtakes_is_told_so() {
        script.check("""
                > put a1 2
                > put a2 3
                > put a3 4
                > put b 5
                > s create a to=b id=1
                s 1 created @5
                > hold
                > delrange a c
                > put c 7
                > compact 7 drop
                > run
                s 1 canceled @0 compact_revision 7
                """);
    }

    @Test
    void one_that_compaction_overtakes_in_the_middle_gets_the_rest() {
        script.check("""
                > put a1 2
                > put a2 3
                > put a3 4
                > put b 5
                > s create a to=b id=1 prev
                s 1 created @5
                > s room 1
                > delrange a c
                s 1 @6 (81) DELETE a1 m6 was a1=2 c2 m2 v1 +
                > put c 7
                > compact 7 drop
                > s room all
                s     DELETE a2 m6 was a2=3 c3 m3 v1 +
                s     DELETE a3 m6 was a3=4 c4 m4 v1
                > put a1 8
                s 1 @8 PUT a1=8 c8 m8 v1
                """);
    }
}
