/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The shard rests after it has served many, and what comes meanwhile is served together. */
class WatchPaceTest {
    private final WatchScript script = new WatchScript();

    /** From now on each response to the stream takes so many milliseconds of the loop's time. */
    private void responsesTake(long millis) {
        script.sink("s").onEvents(() -> script.timer().work(TimeUnit.MILLISECONDS.toNanos(millis)));
    }

    @Test
    void changes_made_while_the_shard_rests_come_in_one_response() {
        responsesTake(3);
        script.check("""
                > s create a
                s 0 created @1
                > put a 2
                s 0 @2 PUT a=2 c2 m2 v1
                > put a 3
                > wait 1
                > put a 4
                > wait 1
                > wait 1
                s 0 @4 PUT a=3 c2 m3 v2; PUT a=4 c2 m4 v3
                """);
    }

    @Test
    void after_a_time_without_changes_nobody_waits() {
        responsesTake(3);
        script.check("""
                > s create a
                s 0 created @1
                > put a 2
                s 0 @2 PUT a=2 c2 m2 v1
                > wait 3
                > put a 3
                s 0 @3 PUT a=3 c2 m3 v2
                """);
    }

    @Test
    void no_rest_is_longer_than_five_milliseconds_however_long_the_work() {
        responsesTake(100);
        script.check("""
                > s create a
                s 0 created @1
                > put a 2
                s 0 @2 PUT a=2 c2 m2 v1
                > put a 3
                > wait 4
                > wait 1
                s 0 @3 PUT a=3 c2 m3 v2
                """);
    }

    @ParameterizedTest
    @CsvSource({"49, 0", "50, 400", "100, 800", "250, 2000", "1000, 2000", "1999, 2000", "3000, 3000", "30000, 5000"})
    void a_rest_is_eight_turns_up_to_two_milliseconds_and_then_one_turn(long turnMicros, long restMicros) {
        Pace pace = new Pace();
        pace.worked(turnMicros * 1000);
        pace.turnEnded(true, 7);
        assertThat(pace.restNanos(7)).isEqualTo(restMicros * 1000);
        assertThat(pace.restNanos(7 + restMicros * 1000)).isZero();
    }

    @Test
    void work_of_microseconds_is_followed_by_no_rest() {
        script.sink("s").onEvents(() -> script.timer().work(Pace.MIN_TURN_NANOS - 1));
        script.check("""
                > s create a
                s 0 created @1
                > put a 2
                s 0 @2 PUT a=2 c2 m2 v1
                > put a 3
                s 0 @3 PUT a=3 c2 m3 v2
                """);
        assertThat(script.timer().pending()).as("only the timer for progress").isEqualTo(1);
    }

    @Test
    void a_progress_request_does_not_wait_for_the_end_of_the_rest() {
        responsesTake(3);
        script.check("""
                > s create a
                s 0 created @1
                > put a 2
                s 0 @2 PUT a=2 c2 m2 v1
                > put a 3
                > s progress
                s 0 @3 PUT a=3 c2 m3 v2
                s -1 progress @3
                """);
    }

    @Test
    void one_alarm_is_set_however_often_the_resting_shard_is_woken() {
        responsesTake(3);
        script.check("""
                > s create a
                s 0 created @1
                > put a 2
                s 0 @2 PUT a=2 c2 m2 v1
                > put a 3
                > put a 4
                > put a 5
                """);
        assertThat(script.timer().pending())
                .as("progress and the end of the rest")
                .isEqualTo(2);
    }
}
