/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.verify.check.RevisionOrder.Answer;
import java.util.List;
import org.junit.jupiter.api.Test;

class RevisionOrderTest {
    private static List<String> violations(Answer... answers) {
        return RevisionOrder.violations(List.of(answers));
    }

    private static Answer read(long begin, long end, long revision) {
        return new Answer(begin, end, false, revision);
    }

    private static Answer write(long begin, long end, long revision) {
        return new Answer(begin, end, true, revision);
    }

    @Test
    void writes_rise_and_reads_do_not_fall() {
        assertThat(violations(write(0, 1, 2), read(2, 3, 2), read(4, 5, 2), write(6, 7, 3), read(8, 9, 4)))
                .isEmpty();
    }

    @Test
    void a_read_behind_an_answered_write_is_stale() {
        assertThat(violations(write(0, 1, 3), read(2, 3, 2))).hasSize(1);
        assertThat(violations(read(2, 3, 2), write(0, 1, 3))).hasSize(1);
    }

    @Test
    void a_write_behind_a_read_makes_a_new_revision() {
        assertThat(violations(read(0, 1, 3), write(2, 3, 3))).hasSize(1);
    }

    @Test
    void calls_that_overlap_are_free() {
        assertThat(violations(write(0, 10, 3), read(1, 2, 1), read(3, 12, 3), write(4, 11, 2)))
                .isEmpty();
    }
}
