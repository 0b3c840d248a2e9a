/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.core.mvcc.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class EventHistoryTest {
    private static final int SIZE = EventHistory.CHANGE_OVERHEAD_BYTES + 3;

    private static Change change(long revision, int valueBytes) {
        return new Change(revision, false, new byte[] {'k'}, new byte[valueBytes], 0);
    }

    private static List<Change> revision(long revision, int changes) {
        List<Change> list = new ArrayList<>();
        for (int i = 0; i < changes; i++) {
            list.add(change(revision, 2));
        }
        return list;
    }

    /** The revisions shown, then what was returned. */
    private static List<Long> read(EventHistory history, long from, long to) {
        List<Long> seen = new ArrayList<>();
        seen.add(history.read(from, to, change -> seen.add(change.revision())));
        return seen;
    }

    @Test
    void a_new_history_begins_behind_the_store_revision() {
        EventHistory history = new EventHistory(10 * SIZE, 7);
        assertThat(history.oldestRevision()).isEqualTo(8);
        assertThat(read(history, 7, 7)).containsExactly(EventHistory.GONE);
        assertThat(read(history, 8, 8)).containsExactly(8L);
        history.append(revision(8, 2));
        assertThat(read(history, 8, 8)).containsExactly(8L, 8L, 9L);
    }

    @Test
    void whole_revisions_leave_when_the_bytes_are_used_up() {
        EventHistory history = new EventHistory(5 * SIZE, 2);
        history.append(revision(3, 1));
        history.append(revision(4, 3));
        history.append(revision(5, 1));
        assertThat(history.bytes()).isEqualTo(5 * SIZE);
        assertThat(read(history, 3, 5)).containsExactly(3L, 4L, 4L, 4L, 5L, 6L);
        history.append(revision(6, 2));
        assertThat(history.oldestRevision()).isEqualTo(5);
        assertThat(history.bytes()).isEqualTo(3 * SIZE);
        assertThat(read(history, 4, 6)).containsExactly(EventHistory.GONE);
        assertThat(read(history, 5, 6)).containsExactly(5L, 6L, 6L, 7L);
    }

    @Test
    void a_revision_larger_than_the_whole_is_not_kept() {
        EventHistory history = new EventHistory(4 * SIZE, 2);
        history.append(revision(3, 2));
        history.append(List.of(change(4, 5 * SIZE)));
        assertThat(history.oldestRevision()).isEqualTo(5);
        assertThat(history.bytes()).isZero();
        history.append(revision(5, 1));
        assertThat(read(history, 5, 5)).containsExactly(5L, 6L);
        history.append(revision(6, 100));
        assertThat(history.oldestRevision()).as("more changes than slots").isEqualTo(7);
    }

    @Test
    void what_is_not_listed_is_not_kept_and_neither_is_what_came_before() {
        EventHistory history = new EventHistory(10 * SIZE, 2);
        history.append(revision(3, 2));
        List<Change> changes = new ArrayList<>();
        changes.add(new Change(5, false, new byte[0], new byte[0], 0));
        changes.addAll(revision(6, 2));
        history.append(changes);
        assertThat(history.oldestRevision()).isEqualTo(6);
        assertThat(history.bytes()).isEqualTo(2 * SIZE);
        assertThat(read(history, 5, 6)).containsExactly(EventHistory.GONE);
        assertThat(read(history, 6, 6)).containsExactly(6L, 6L, 7L);
    }

    @Test
    void a_previous_value_is_charged_for_before_it_is_there() {
        EventHistory history = new EventHistory(1 << 20, 1);
        Change update = new Change(2, false, new byte[] {'k'}, new byte[1000], 77);
        history.append(List.of(update));
        assertThat(EventHistory.previousAllowance(update)).isEqualTo(1000);
        assertThat(history.bytes()).isEqualTo(EventHistory.CHANGE_OVERHEAD_BYTES + 2001);
        assertThat(EventHistory.previousAllowance(change(3, 1000))).isZero();
        assertThat(EventHistory.previousAllowance(new Change(4, true, new byte[1], new byte[3], 5)))
                .isEqualTo(EventHistory.SMALL_PREVIOUS_BYTES);
    }

    @Test
    void a_reader_stops_where_its_visitor_says_and_at_its_end() {
        EventHistory history = new EventHistory(100 * SIZE, 1);
        for (long revision = 2; revision <= 9; revision++) {
            history.append(revision(revision, 2));
        }
        assertThat(read(history, 4, 5)).containsExactly(4L, 4L, 5L, 5L, 6L);
        List<Long> seen = new ArrayList<>();
        long end = history.read(3, 9, change -> {
            if (change.revision() == 5) {
                return false;
            }
            return seen.add(change.revision());
        });
        assertThat(seen).containsExactly(3L, 3L, 4L, 4L);
        assertThat(end).isEqualTo(5);
        assertThat(read(history, 8, 20)).as("not beyond what is there").containsExactly(8L, 8L, 9L, 9L, 10L);
        assertThat(read(history, 15, 20)).containsExactly(15L);
    }

    @Test
    void a_gap_is_an_error_and_an_omission_is_none() {
        EventHistory history = new EventHistory(100 * SIZE, 1);
        history.append(revision(2, 1));
        assertThatThrownBy(() -> history.append(revision(4, 1))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> history.append(revision(2, 1))).isInstanceOf(IllegalStateException.class);
        history.append(List.of(Change.omission(40)));
        assertThat(read(history, 2, 2)).containsExactly(EventHistory.GONE);
        assertThat(read(history, 40, 40)).containsExactly(EventHistory.GONE);
        history.append(revision(41, 1));
        assertThat(read(history, 41, 41)).containsExactly(41L, 42L);
    }

    @Test
    void an_overtaken_reader_is_told_where_it_may_have_missed_something() {
        EventHistory history = new EventHistory(4 * SIZE, 1);
        history.append(revision(2, 2));
        history.append(revision(3, 2));
        List<Long> seen = new ArrayList<>();
        long end = history.read(2, 3, change -> {
            if (seen.size() == 2) {
                history.append(revision(4, 4));
            }
            return seen.add(change.revision());
        });
        assertThat(seen)
                .as("one change of 3 was shown, the other was overwritten")
                .containsExactly(2L, 2L, 3L);
        assertThat(end).isEqualTo(3);
    }

    @Test
    void random_appends_keep_the_limit_and_the_latest_revisions() {
        Random random = new Random(5);
        EventHistory history = new EventHistory(50 * SIZE, 0);
        for (long revision = 1; revision < 2000; revision++) {
            history.append(revision(revision, 1 + random.nextInt(20)));
            assertThat(history.bytes()).isLessThanOrEqualTo(50 * SIZE);
            long oldest = history.oldestRevision();
            assertThat(oldest).isLessThanOrEqualTo(revision);
            List<Long> seen = read(history, oldest, revision);
            assertThat(seen.getFirst()).isEqualTo(oldest);
            assertThat(seen.getLast()).isEqualTo(revision + 1);
            assertThat(seen).isSorted();
            assertThat(seen.stream().distinct().count()).isEqualTo(revision + 2 - oldest);
        }
    }

    @Test
    void readers_beside_the_writer_see_whole_revisions_without_a_gap() throws InterruptedException {
        EventHistory history = new EventHistory(64 * SIZE, 0);
        int revisions = 300_000;
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread reader = new Thread(() -> {
            try {
                while (!done.get()) {
                    readOnce(history);
                }
            } catch (RuntimeException | Error e) {
                failure.set(e);
            }
        });
        reader.start();
        for (long revision = 1; revision <= revisions; revision++) {
            // A revision has as many changes as its last digit says, and one more.
            history.append(revision(revision, (int) (revision % 10) + 1));
        }
        done.set(true);
        reader.join();
        assertThat(failure.get()).isNull();
    }

    private static void readOnce(EventHistory history) {
        long from = history.oldestRevision() + 1;
        long[] state = {from, 0}; // revision, changes seen of it
        long end = history.read(from, Long.MAX_VALUE, change -> {
            if (change.revision() != state[0]) {
                assertThat(state[1]).isEqualTo(state[0] % 10 + 1);
                assertThat(change.revision()).isEqualTo(state[0] + 1);
                state[0] = change.revision();
                state[1] = 0;
            }
            state[1]++;
            return true;
        });
        if (end == state[0] + 1) {
            assertThat(state[1]).isEqualTo(state[0] % 10 + 1);
        } else if (end != EventHistory.GONE) {
            assertThat(end).isEqualTo(state[0]);
        }
    }
}
