/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.verify.check.RegisterCall.Action;
import dev.nightjar.verify.driver.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LinearizabilityTest {
    private final List<RegisterCall> calls = new ArrayList<>();

    private LinearizabilityTest call(long begin, long end, Action action) {
        calls.add(new RegisterCall(begin, end, action));
        return this;
    }

    private LinearizabilityTest unanswered(long begin, Action action) {
        calls.add(RegisterCall.unanswered(begin, action));
        return this;
    }

    private static Action read(@Nullable String seen) {
        return new Action.Read(seen);
    }

    private static Action write(@Nullable String value) {
        return new Action.Write(value);
    }

    private static Action swap(@Nullable String expected, String value) {
        return new Action.Swap(expected, value);
    }

    private boolean holds() {
        return Linearizability.holds(calls);
    }

    @Test
    void nothing_is_in_order() {
        assertThat(holds()).isTrue();
    }

    @Test
    void calls_one_after_the_other_see_the_last_write() {
        assertThat(call(0, 1, read(null))
                        .call(2, 3, write("x"))
                        .call(4, 5, read("x"))
                        .call(6, 7, swap("x", "y"))
                        .call(8, 9, new Action.FailedSwap("x", "y"))
                        .call(10, 11, write(null))
                        .call(12, 13, read(null))
                        .holds())
                .isTrue();
    }

    @Test
    void an_old_value_after_a_newer_one_was_acknowledged_is_stale() {
        assertThat(call(0, 1, write("x"))
                        .call(2, 3, write("y"))
                        .call(4, 5, read("x"))
                        .holds())
                .isFalse();
    }

    @Test
    void a_value_that_nobody_wrote_is_seen() {
        assertThat(call(0, 1, write("x")).call(2, 3, read("z")).holds()).isFalse();
        assertThat(new LinearizabilityTest().call(0, 1, read("z")).holds()).isFalse();
    }

    @Test
    void calls_that_overlap_may_have_happened_in_either_order() {
        assertThat(call(0, 10, write("x"))
                        .call(1, 2, read(null))
                        .call(3, 4, read("x"))
                        .holds())
                .isTrue();
    }

    @Test
    void no_two_reads_one_after_the_other_see_an_overlapping_write_come_and_go() {
        assertThat(call(0, 10, write("x"))
                        .call(1, 2, read("x"))
                        .call(3, 4, read(null))
                        .holds())
                .isFalse();
    }

    @Test
    void of_two_swaps_from_one_value_only_one_succeeds() {
        assertThat(call(0, 10, swap(null, "x")).call(0, 10, swap(null, "y")).holds())
                .isFalse();
    }

    @Test
    void a_swap_does_not_fail_for_what_it_expects() {
        assertThat(call(0, 1, write("x"))
                        .call(2, 3, new Action.FailedSwap("x", "x"))
                        .holds())
                .isFalse();
    }

    @Test
    void a_write_without_an_answer_may_show_at_any_time_or_never() {
        unanswered(0, write("x")).call(1, 2, read(null)).call(3, 4, read(null));
        assertThat(holds()).isTrue();
        assertThat(call(5, 6, read("x")).holds()).isTrue();
        assertThat(call(7, 8, read(null)).holds()).isFalse();
    }

    @Test
    void a_write_without_an_answer_does_not_show_before_it_was_sent() {
        assertThat(call(0, 1, read("x")).unanswered(2, write("x")).holds()).isFalse();
    }

    @Test
    void a_swap_without_an_answer_needs_what_it_expects() {
        assertThat(unanswered(0, swap("a", "x")).call(1, 2, read("x")).holds()).isFalse();
        assertThat(new LinearizabilityTest()
                        .call(0, 1, write("a"))
                        .unanswered(0, swap("a", "x"))
                        .call(2, 3, read("x"))
                        .holds())
                .isTrue();
    }

    @Test
    void a_lost_write_is_seen_among_many_calls_and_so_is_none() {
        long seed = Seeds.seed();
        RandomGenerator random = Seeds.generator(seed, 0);
        String value = null;
        for (int i = 0; i < 2000; i++) {
            long moment = i * 10L + 100;
            Action action;
            if (random.nextBoolean()) {
                action = read(value);
            } else {
                action = write("v" + i);
                value = "v" + i;
            }
            calls.add(new RegisterCall(moment - random.nextInt(50), moment + random.nextInt(50), action));
        }
        assertThat(holds()).as(Seeds.replay(LinearizabilityTest.class, seed)).isTrue();
        call(30_000, 30_001, write("last")).call(30_002, 30_003, read(Objects.requireNonNull(value)));
        assertThat(holds()).as(Seeds.replay(LinearizabilityTest.class, seed)).isFalse();
    }
}
