/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.consensus.LogCorruptException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Damage at every byte of a log of three groups: {@code [1 2] [3 4 5] [6 7 8]} in one segment. */
class TornTailTest {
    private static final int GROUP_2 = 3;
    private static final int GROUP_3 = 6;
    private static final int LAST = 8;

    private final HostileFiles files = new HostileFiles();

    /** Offset of each record, and of the end. Record i is at place i - 1. */
    private final List<Integer> offsets = new ArrayList<>();

    private String segment = "";

    @BeforeEach
    void write() throws Exception {
        try (SegmentedLog log = Logs.open(files)) {
            log.append(Logs.group(1, 2, 1));
            log.append(Logs.group(GROUP_2, 3, 1));
            log.append(Logs.group(GROUP_3, 3, 1));
        }
        segment = Logs.lastSegment(files);
        int offset = SegmentHeader.BYTES;
        for (int index = 1; index <= LAST; index++) {
            offsets.add(offset);
            offset += RecordFormat.sizeOf(Logs.payload(index, 1).length());
        }
        offsets.add(offset);
        assertThat(files.content(segment)[offset - 1]).isNotZero();
        assertThat(files.content(segment)[offset]).isZero();
    }

    private int start(int index) {
        return offsets.get(index - 1);
    }

    private int end() {
        return offsets.getLast();
    }

    /** The last record that ends at or before an offset. */
    private int wholeBefore(int offset) {
        int index = 0;
        while (index < LAST && offsets.get(index + 1) <= offset) {
            index++;
        }
        return index;
    }

    private HostileFiles with(byte[] content) throws Exception {
        HostileFiles copy = files.afterKill();
        copy.damage(segment, content);
        return copy;
    }

    private static void assertEndsWith(HostileFiles damaged, int last) throws Exception {
        try (SegmentedLog log = Logs.open(damaged)) {
            Logs.assertHolds(log, 1, last);
            log.append(Logs.group(last + 1, 2, 9));
        }
        try (SegmentedLog log = Logs.open(damaged)) {
            Logs.assertHolds(log, 1, last + 2);
        }
    }

    @Test
    void a_file_cut_at_any_byte_ends_with_the_last_whole_record() throws Exception {
        for (int cut = SegmentHeader.BYTES; cut < end(); cut++) {
            assertEndsWith(with(Arrays.copyOf(files.content(segment), cut)), wholeBefore(cut));
        }
    }

    @Test
    void zeros_from_any_byte_of_the_last_group_end_the_log_there() throws Exception {
        for (int cut = start(GROUP_3); cut < end(); cut++) {
            byte[] content = files.content(segment);
            Arrays.fill(content, cut, end(), (byte) 0);
            // A record that ends in zeros anyway is not damaged by more of them: ours end in a space.
            assertEndsWith(with(content), wholeBefore(cut));
        }
    }

    @Test
    void garbage_from_any_byte_of_the_last_group_ends_the_log_there() throws Exception {
        Random random = new Random(42);
        for (int cut = start(GROUP_3); cut < end(); cut++) {
            byte[] content = files.content(segment);
            byte[] garbage = new byte[end() - cut];
            random.nextBytes(garbage);
            garbage[0] = (byte) ~content[cut];
            System.arraycopy(garbage, 0, content, cut, garbage.length);
            assertEndsWith(with(content), wholeBefore(cut));
        }
    }

    @Test
    void garbage_behind_the_end_is_cut() throws Exception {
        byte[] content = files.content(segment);
        content[end() + 700] = 1;
        assertEndsWith(with(content), LAST);
    }

    @Test
    void a_lost_piece_of_the_last_group_ends_the_log_even_if_its_rest_is_there() throws Exception {
        for (int hole = start(GROUP_3); hole < start(LAST); hole++) {
            byte[] content = files.content(segment);
            content[hole] ^= 0x10;
            assertEndsWith(with(content), wholeBefore(hole));
        }
    }

    @Test
    void a_flipped_bit_in_any_earlier_group_is_corruption_and_is_located() throws Exception {
        for (int hole = start(1); hole < start(GROUP_3); hole++) {
            byte[] content = files.content(segment);
            content[hole] ^= 0x01;
            int damaged = wholeBefore(hole) + 1;
            assertThatThrownBy(() -> Logs.open(with(content))).isInstanceOfSatisfying(LogCorruptException.class, e -> {
                assertThat(e.file()).isEqualTo("hostile/" + segment);
                assertThat(e.offset()).isEqualTo(start(damaged));
            });
        }
    }

    @Test
    void a_hole_of_zeros_in_an_earlier_group_is_corruption() throws Exception {
        byte[] content = files.content(segment);
        Arrays.fill(content, start(GROUP_2), start(GROUP_3), (byte) 0);
        assertThatThrownBy(() -> Logs.open(with(content)))
                .isInstanceOf(LogCorruptException.class)
                .hasMessageContaining("entry 3 is damaged, but a later one at offset " + start(GROUP_3) + " is whole");
    }

    @Test
    void a_flipped_bit_anywhere_in_the_header_is_corruption() throws Exception {
        for (int i = 0; i < SegmentHeader.BYTES; i++) {
            byte[] content = files.content(segment);
            content[i] ^= 0x40;
            assertThatThrownBy(() -> Logs.open(with(content))).isInstanceOf(LogCorruptException.class);
        }
    }

    @Test
    void the_tail_of_a_segment_that_is_not_the_last_cannot_be_torn() throws Exception {
        try (SegmentedLog log = Logs.open(files)) {
            long index = LAST + 1;
            while (Logs.lastSegment(files).equals(segment)) {
                log.append(Logs.group(index++, 1, 1));
            }
        }
        byte[] content = files.content(segment);
        int last = content.length - 1;
        while (content[last] == 0) {
            last--;
        }
        content[last] ^= 1;
        HostileFiles damaged = with(content);
        assertThatThrownBy(() -> Logs.open(damaged)).isInstanceOf(LogCorruptException.class);
        assertThat(damaged.content(segment)).as("evidence").isEqualTo(content);
        Arrays.fill(content, last - 40, content.length, (byte) 0);
        assertThatThrownBy(() -> Logs.open(with(content))).isInstanceOf(LogCorruptException.class);
    }

    @Test
    void a_missing_segment_is_corruption() throws Exception {
        long index = LAST + 1;
        try (SegmentedLog log = Logs.open(files)) {
            while (files.list().stream().filter(SegmentHeader::isSegmentName).count() < 3) {
                log.append(Logs.group(index++, 1, 1));
            }
        }
        List<String> names = files.list().stream()
                .filter(SegmentHeader::isSegmentName)
                .sorted()
                .toList();
        HostileFiles withoutFirst = files.afterKill();
        withoutFirst.lose(names.getFirst());
        assertThatThrownBy(() -> Logs.open(withoutFirst)).isInstanceOf(LogCorruptException.class);
        HostileFiles withoutMiddle = files.afterKill();
        withoutMiddle.lose(names.get(1));
        assertThatThrownBy(() -> Logs.open(withoutMiddle)).isInstanceOf(LogCorruptException.class);
        HostileFiles withoutState = files.afterKill();
        withoutState.lose("first");
        assertThatThrownBy(() -> Logs.open(withoutState)).isInstanceOf(LogCorruptException.class);
    }

    @Test
    void a_flipped_bit_in_the_record_of_the_first_index_is_corruption() throws Exception {
        for (int i = 0; i < files.content("first").length; i++) {
            byte[] content = files.content("first");
            content[i] ^= 0x02;
            HostileFiles damaged = files.afterKill();
            damaged.damage("first", content);
            assertThatThrownBy(() -> Logs.open(damaged)).isInstanceOf(java.io.IOException.class);
        }
    }
}
