/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.apply.ApiError;
import dev.nightjar.server.node.AutoCompactionSettings.Mode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AutoCompactionTest {
    private final ManualSchedule schedule = new ManualSchedule();
    private final List<String> compactions = new ArrayList<>();
    private long nowMillis;
    private long revision = 1;
    private boolean leads = true;
    private @Nullable ApiError outcome;

    private void start(Mode mode, long retention) {
        AutoCompaction compaction = Objects.requireNonNull(AutoCompaction.of(
                new AutoCompactionSettings(mode, retention),
                new AutoCompaction.Surroundings(
                        schedule,
                        () -> TimeUnit.MILLISECONDS.toNanos(nowMillis),
                        () -> revision,
                        () -> leads,
                        (asked, done) -> {
                            compactions.add(nowMillis / 60_000 + "m: " + asked);
                            done.accept(outcome);
                        })));
        compaction.start();
        schedule.advance(0);
    }

    private void startPeriodic(Duration retention) {
        start(Mode.PERIODIC, retention.toNanos());
    }

    /**
     * Lets time pass; the revision is ten times the minute since the start. What a compaction finds is one sample older than
     * the retention, as it comes right before the next sample is taken.
     */
    private void pass(Duration time) {
        for (long end = nowMillis + time.toMillis(); nowMillis < end; ) {
            nowMillis += 60_000;
            revision = 1 + nowMillis / 6000;
            schedule.advance(60_000);
        }
    }

    @Test
    void nothing_is_compacted_without_a_retention() {
        assertThat(AutoCompaction.of(
                        AutoCompactionSettings.OFF,
                        new AutoCompaction.Surroundings(schedule, () -> 0, () -> 1, () -> true, (_, _) -> {})))
                .isNull();
    }

    @Test
    void a_short_retention_is_also_the_time_between_compactions() {
        startPeriodic(Duration.ofMinutes(10));
        pass(Duration.ofMinutes(9));
        assertThat(compactions).isEmpty();
        pass(Duration.ofMinutes(21));
        assertThat(compactions).containsExactly("10m: 1", "20m: 91", "30m: 191");
    }

    @Test
    void with_a_long_retention_compaction_begins_after_it_and_then_comes_every_hour() {
        startPeriodic(Duration.ofHours(5));
        pass(Duration.ofMinutes(299));
        assertThat(compactions).isEmpty();
        pass(Duration.ofMinutes(121));
        assertThat(compactions).containsExactly("300m: 1", "360m: 541", "420m: 1141");
    }

    @Test
    void a_revision_that_has_not_moved_is_not_compacted_again() {
        startPeriodic(Duration.ofMinutes(10));
        for (int i = 0; i < 40; i++) {
            nowMillis += 60_000;
            schedule.advance(60_000);
        }
        assertThat(compactions).containsExactly("10m: 1");
        revision = 7;
        pass(Duration.ofMinutes(1));
        assertThat(compactions).containsExactly("10m: 1");
    }

    @Test
    void a_compaction_that_failed_is_tried_again_after_a_tenth_of_the_interval() {
        startPeriodic(Duration.ofMinutes(10));
        outcome = ApiError.TIMEOUT;
        pass(Duration.ofMinutes(12));
        assertThat(compactions).containsExactly("10m: 1", "11m: 1", "12m: 11");
        outcome = ApiError.COMPACTED;
        pass(Duration.ofMinutes(11));
        assertThat(compactions).containsExactly("10m: 1", "11m: 1", "12m: 11", "13m: 21", "23m: 121");
    }

    @Test
    void only_the_leader_compacts_but_the_others_take_note() {
        leads = false;
        startPeriodic(Duration.ofMinutes(10));
        pass(Duration.ofMinutes(34));
        assertThat(compactions).isEmpty();
        leads = true;
        pass(Duration.ofMinutes(11));
        assertThat(compactions).containsExactly("35m: 241", "45m: 341");
    }

    @Test
    void by_revision_it_compacts_every_five_minutes_to_what_is_beyond_the_retention() {
        start(Mode.REVISION, 100);
        pass(Duration.ofMinutes(10));
        // At ten minutes the revision is 101, so one is beyond.
        assertThat(compactions).containsExactly("10m: 1");
        outcome = ApiError.NO_LEADER;
        pass(Duration.ofMinutes(5));
        outcome = null;
        leads = false;
        pass(Duration.ofMinutes(5));
        leads = true;
        pass(Duration.ofMinutes(5));
        assertThat(compactions).containsExactly("10m: 1", "15m: 51", "25m: 151");
        for (int i = 0; i < 10; i++) {
            nowMillis += 60_000;
            schedule.advance(60_000);
        }
        assertThat(compactions).hasSize(3);
    }

    @Test
    void a_retention_of_nanoseconds_does_not_keep_the_ticker_busy() {
        startPeriodic(Duration.ofNanos(1));
        assertThat(schedule.nextMillis()).isEqualTo(1);
    }
}
