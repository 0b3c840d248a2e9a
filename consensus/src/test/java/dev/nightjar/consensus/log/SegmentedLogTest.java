/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.consensus.LogObserver;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentedLogTest {
    private final HostileFiles files = new HostileFiles();

    @Test
    void a_fresh_log_is_empty_and_starts_at_one() throws Exception {
        try (SegmentedLog log = Logs.open(files)) {
            Logs.assertHolds(log, 1, 0);
        }
        try (SegmentedLog log = Logs.open(files)) {
            Logs.assertHolds(log, 1, 0);
        }
    }

    @Test
    void entries_are_read_back_before_and_after_a_restart_across_segments() throws Exception {
        try (SegmentedLog log = Logs.open(files)) {
            for (int i = 0; i < 100; i++) {
                log.append(Logs.group(1 + 3L * i, 3, 1 + i / 10));
            }
            Logs.assertHolds(log, 1, 300);
        }
        assertThat(files.list()).filteredOn(SegmentHeader::isSegmentName).hasSizeGreaterThan(3);
        try (SegmentedLog log = Logs.open(files)) {
            Logs.assertHolds(log, 1, 300);
            log.append(Logs.group(301, 1, 20));
            Logs.assertHolds(log, 1, 301);
        }
    }

    @Test
    void a_group_larger_than_buffer_and_segment_is_one_group() throws Exception {
        byte[] large = new byte[3 << 20];
        new Random(1).nextBytes(large);
        try (SegmentedLog log = Logs.open(files)) {
            log.append(List.of(
                    Logs.entry(1, 1, "small"),
                    new LogRecord(2, 1, LogRecord.COMMAND, ByteBuffer.wrap(large)),
                    Logs.entry(3, 1, "small")));
        }
        try (SegmentedLog log = Logs.open(files.afterPowerCut(new Random(2)))) {
            assertThat(log.lastIndex()).isEqualTo(3);
            LogRecord entry = log.read(2);
            assertThat(entry == null ? null : entry.payload()).isEqualTo(ByteBuffer.wrap(large));
        }
    }

    @Test
    void an_entry_that_could_not_be_read_back_is_not_written() throws Exception {
        try (SegmentedLog log = Logs.open(files)) {
            ByteBuffer huge = ByteBuffer.allocate(RecordFormat.MAX_PAYLOAD_BYTES + 1);
            assertThatThrownBy(() -> log.append(List.of(new LogRecord(1, 1, LogRecord.COMMAND, huge))))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void entries_that_are_no_commands_are_shown_when_the_log_is_opened() throws Exception {
        try (SegmentedLog log = Logs.open(files)) {
            log.append(Logs.group(1, 4, 1));
            log.append(List.of(new LogRecord(5, 1, (byte) 2, ByteBuffer.wrap(new byte[] {7}))));
            log.append(Logs.group(6, 4, 1));
        }
        List<Long> shown = new ArrayList<>();
        SegmentedLog.open(files, Logs.options(), entry -> shown.add(entry.index()))
                .close();
        assertThat(shown).containsExactly(5L);
    }

    @Test
    void a_cut_suffix_does_not_come_back() throws Exception {
        try (SegmentedLog log = Logs.open(files)) {
            for (int i = 0; i < 50; i++) {
                log.append(Logs.group(1 + 4L * i, 4, 1));
            }
            log.truncateSuffix(54);
            Logs.assertHolds(log, 1, 54);
        }
        HostileFiles after = files.afterPowerCut(new Random(3));
        try (SegmentedLog log = Logs.open(after)) {
            Logs.assertHolds(log, 1, 54);
            log.append(Logs.group(55, 10, 2));
            log.truncateSuffix(0);
            Logs.assertHolds(log, 1, 0);
            log.append(Logs.group(1, 2, 3));
        }
        try (SegmentedLog log = Logs.open(after)) {
            Logs.assertHolds(log, 1, 2);
        }
    }

    @Test
    void the_first_index_survives_a_restart_and_dead_segments_go() throws Exception {
        try (SegmentedLog log = Logs.open(files)) {
            for (int i = 0; i < 100; i++) {
                log.append(Logs.group(1 + 4L * i, 4, 1));
            }
            log.truncatePrefix(203);
            Logs.assertHolds(log, 203, 400);
        }
        long before = segments(files);
        try (SegmentedLog log = Logs.open(files.afterPowerCut(new Random(4)))) {
            Logs.assertHolds(log, 203, 400);
        }
        Logs.open(files).close();
        assertThat(segments(files)).isLessThan(before);
    }

    @Test
    void a_large_last_segment_goes_when_nothing_in_it_counts() throws Exception {
        ByteBuffer large = ByteBuffer.allocate(LogOptions.FIRST_SEGMENT_BYTES);
        try (SegmentedLog log = Logs.open(files)) {
            log.append(List.of(new LogRecord(1, 1, LogRecord.COMMAND, large)));
            String full = Logs.lastSegment(files);
            log.truncatePrefix(2);
            assertThat(files.list()).doesNotContain(full);
            log.append(Logs.group(2, 3, 1));
            log.truncatePrefix(3);
            Logs.assertHolds(log, 3, 4);
        }
        try (SegmentedLog log = Logs.open(files.afterPowerCut(new Random(5)))) {
            Logs.assertHolds(log, 3, 4);
        }
    }

    @Test
    void a_slow_reader_of_a_cut_entry_still_gets_it_until_the_next_cut() throws Exception {
        try (SegmentedLog log = Logs.open(files)) {
            for (int i = 0; i < 100; i++) {
                log.append(Logs.group(1 + 4L * i, 4, 1));
            }
            long before = segments(files);
            log.truncatePrefix(300);
            assertThat(segments(files)).isEqualTo(before);
            LogRecord entry = log.read(1);
            assertThat(entry == null ? "" : Logs.text(entry)).isEqualTo(Logs.payload(1, 1));
            log.truncatePrefix(301);
            assertThat(segments(files)).isLessThan(before);
            assertThat(log.read(1)).isNull();
            Logs.assertHolds(log, 301, 400);
        }
    }

    @Test
    void a_prefix_cut_behind_the_end_moves_the_log() throws Exception {
        try (SegmentedLog log = Logs.open(files)) {
            log.append(Logs.group(1, 10, 1));
            log.truncatePrefix(1000);
            Logs.assertHolds(log, 1000, 999);
            log.append(Logs.group(1000, 3, 2));
        }
        try (SegmentedLog log = Logs.open(files.afterPowerCut(new Random(5)))) {
            Logs.assertHolds(log, 1000, 1002);
        }
    }

    @Test
    void reset_drops_everything() throws Exception {
        try (SegmentedLog log = Logs.open(files)) {
            for (int i = 0; i < 50; i++) {
                log.append(Logs.group(1 + 4L * i, 4, 1));
            }
            log.reset(7);
            Logs.assertHolds(log, 7, 6);
            log.append(Logs.group(7, 3, 2));
        }
        try (SegmentedLog log = Logs.open(files.afterPowerCut(new Random(6)))) {
            Logs.assertHolds(log, 7, 9);
        }
        assertThat(segments(files)).isEqualTo(1);
    }

    @Test
    void what_was_read_before_a_cut_is_not_given_out_after_it() throws Exception {
        try (SegmentedLog log = Logs.open(files)) {
            log.append(Logs.group(1, 20, 1));
            Logs.assertHolds(log, 1, 20);
            log.truncateSuffix(10);
            log.append(Logs.group(11, 10, 2));
            for (long index = 11; index <= 20; index++) {
                LogRecord entry = log.read(index);
                assertThat(entry == null ? 0 : entry.term()).isEqualTo(2);
            }
        }
    }

    @Test
    void reading_in_order_takes_few_reads_and_reading_at_random_reads_little() throws Exception {
        LogOptions options = new LogOptions(4 << 20, true, System::nanoTime, LogObserver.NONE, Runnable::run);
        try (SegmentedLog log = SegmentedLog.open(files, options, entry -> {})) {
            for (int i = 0; i < 100; i++) {
                log.append(Logs.group(1 + 100L * i, 100, 1));
            }
            long reads = files.reads();
            Logs.assertHolds(log, 1, 10_000);
            assertThat(files.reads() - reads).isLessThan(20);
            long bytes = files.bytesRead();
            for (long index = 10_000; index > 0; index -= 1000) {
                assertThat(log.read(index)).isNotNull();
            }
            assertThat(files.bytesRead() - bytes).isLessThan(10 * 4096 + 1);
        }
    }

    @Test
    void an_entry_out_of_order_fails_the_log() throws Exception {
        try (SegmentedLog log = Logs.open(files)) {
            log.append(Logs.group(1, 2, 1));
            assertThatThrownBy(() -> log.append(Logs.group(4, 1, 1))).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> log.append(Logs.group(3, 1, 1))).hasMessageContaining("has failed before");
        }
    }

    @Test
    void a_real_disk_holds_a_log_and_an_interrupted_reader_does_no_harm(@TempDir Path directory) throws Exception {
        List<Long> syncs = new ArrayList<>();
        LogObserver observer = new LogObserver() {
            @Override
            public void written(long bytes, long nanos) {
                assertThat(bytes).isPositive();
            }

            @Override
            public void synced(long nanos) {
                syncs.add(nanos);
            }
        };
        LogOptions options = new LogOptions(Logs.SEGMENT_BYTES, true, System::nanoTime, observer, Runnable::run);
        LogFiles disk = DiskFiles.at(directory.resolve("new").resolve("wal"));
        try (SegmentedLog log = SegmentedLog.open(disk, options, entry -> {})) {
            for (int i = 0; i < 50; i++) {
                log.append(Logs.group(1 + 4L * i, 4, 1));
                Thread.currentThread().interrupt();
                assertThat(log.read(1 + 4L * i)).isNotNull();
                assertThat(Thread.interrupted()).isTrue();
            }
            assertThat(syncs).hasSizeGreaterThanOrEqualTo(50);
        }
        try (SegmentedLog log = SegmentedLog.open(disk, options, entry -> {})) {
            Logs.assertHolds(log, 1, 200);
        }
    }

    private static long segments(HostileFiles files) {
        return files.list().stream().filter(SegmentHeader::isSegmentName).count();
    }
}
