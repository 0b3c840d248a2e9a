/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.nightjar.consensus.LogObserver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LogFaultTest {

    @ParameterizedTest
    @EnumSource(HostileFiles.Fault.class)
    void after_an_error_the_log_takes_no_more_and_keeps_what_it_promised(HostileFiles.Fault fault) throws Exception {
        HostileFiles whole = new HostileFiles();
        fill(whole);
        boolean failedOnce = false;
        for (int step = 0; step < whole.steps(); step++) {
            HostileFiles files = new HostileFiles();
            files.failAt(step, fault);
            long promised = fill(files);
            failedOnce |= promised < 200;
            try (SegmentedLog log = Logs.open(files.afterPowerCut(new Random(step)))) {
                assertThat(log.lastIndex()).isBetween(promised, promised + 4);
                Logs.assertHolds(log, 1, log.lastIndex());
            }
        }
        assertThat(failedOnce).isTrue();
    }

    /** Appends 50 groups of four, or until it fails; returns the last index that was promised. */
    private static long fill(HostileFiles files) throws IOException {
        long promised = 0;
        SegmentedLog log;
        try {
            log = Logs.open(files);
        } catch (IOException e) {
            return promised;
        }
        try {
            while (promised < 200) {
                log.append(Logs.group(promised + 1, 4, 1));
                promised += 4;
            }
        } catch (IOException e) {
            long next = promised + 1;
            assertThatThrownBy(() -> log.append(Logs.group(next, 4, 1)))
                    .isInstanceOf(IOException.class)
                    .hasMessage("the log has failed before");
            assertThatThrownBy(() -> log.truncateSuffix(0)).hasMessage("the log has failed before");
            assertThatThrownBy(() -> log.truncatePrefix(1)).hasMessage("the log has failed before");
            assertThatThrownBy(() -> log.reset(1)).hasMessage("the log has failed before");
            assertThat(log.lastIndex()).isBetween(promised, promised + 4);
        } finally {
            log.close();
        }
        return promised;
    }

    @Test
    void a_full_disk_in_the_helper_does_not_stop_the_log() throws Exception {
        HostileFiles files = new HostileFiles();
        HelperDiskFull full = new HelperDiskFull(files);
        try (SegmentedLog log = Logs.open(full)) {
            for (int i = 0; i < 100; i++) {
                log.append(Logs.group(1 + 4L * i, 4, 1));
            }
            Logs.assertHolds(log, 1, 400);
        }
        assertThat(full.refused).isPositive();
        try (SegmentedLog log = Logs.open(files)) {
            Logs.assertHolds(log, 1, 400);
        }
    }

    @Test
    void without_sync_a_log_survives_a_kill_and_never_waits_for_the_disk() throws Exception {
        HostileFiles files = new HostileFiles();
        LogOptions options = new LogOptions(Logs.SEGMENT_BYTES, false, System::nanoTime, LogObserver.NONE, task -> {});
        try (SegmentedLog log = SegmentedLog.open(files, options, entry -> {})) {
            log.append(Logs.group(1, 4, 1));
            long syncs = files.syncs();
            for (int i = 1; i < 5; i++) {
                log.append(Logs.group(1 + 4L * i, 4, 1));
            }
            assertThat(files.syncs()).isEqualTo(syncs);
            try (SegmentedLog after = Logs.open(files.afterKill())) {
                Logs.assertHolds(after, 1, 20);
            }
        }
    }

    @Test
    void a_state_too_large_for_its_file_is_refused() throws Exception {
        StateFile file = new StateFile(new HostileFiles(), "state", true);
        file.write(new byte[StateFile.MAX_CONTENT_BYTES]);
        assertThat(file.read()).hasSize(StateFile.MAX_CONTENT_BYTES);
        assertThatThrownBy(() -> file.write(new byte[StateFile.MAX_CONTENT_BYTES + 1]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_length_that_no_record_can_have_asks_for_no_memory() throws Exception {
        HostileFiles files = new HostileFiles();
        try (SegmentedLog log = Logs.open(files)) {
            log.append(Logs.group(1, 2, 1));
        }
        String segment = Logs.lastSegment(files);
        for (int length : new int[] {Integer.MAX_VALUE, Integer.MIN_VALUE, -1, 1, 20, RecordFormat.MAX_PAYLOAD_BYTES}) {
            HostileFiles damaged = files.afterKill();
            byte[] content = files.content(segment);
            ByteBuffer.wrap(content).putInt(SegmentHeader.BYTES, length);
            damaged.damage(segment, content);
            try (SegmentedLog log = Logs.open(damaged)) {
                Logs.assertHolds(log, 1, 0);
            }
        }
        assertThat(RecordFormat.isPossibleLength(RecordFormat.MAX_PAYLOAD_BYTES + RecordFormat.HEADER_BYTES))
                .isFalse();
    }

    /** A disk on which the file that the helper prepares never fits. */
    private static final class HelperDiskFull implements LogFiles {
        private final HostileFiles files;
        private int refused;

        HelperDiskFull(HostileFiles files) {
            this.files = files;
        }

        @Override
        public LogFile create(String name) throws IOException {
            if (name.startsWith(SegmentPreparer.PREPARED)) {
                refused++;
                throw new IOException("no space left on device");
            }
            return files.create(name);
        }

        @Override
        public List<String> list() {
            return files.list();
        }

        @Override
        public boolean exists(String name) {
            return files.exists(name);
        }

        @Override
        public LogFile open(String name) throws IOException {
            return files.open(name);
        }

        @Override
        public void rename(String from, String to) throws IOException {
            files.rename(from, to);
        }

        @Override
        public void delete(String name) throws IOException {
            files.delete(name);
        }

        @Override
        public void syncDirectory() throws IOException {
            files.syncDirectory();
        }

        @Override
        public String describe(String name) {
            return files.describe(name);
        }
    }

    @Test
    void a_write_is_tried_again_for_as_long_as_room_is_made() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full));
        AtomicInteger asked = new AtomicInteger();
        try (LogFile file = DiskFile.open(full, failure -> asked.incrementAndGet() < 5)) {
            assertThatThrownBy(() -> file.write(ByteBuffer.allocate(1), 0)).isInstanceOf(IOException.class);
        }
        assertThat(asked).hasValue(5);
    }

    @Test
    void a_failure_of_the_machines_disk_names_the_file() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full));
        try (LogFile file = DiskFile.open(full, failure -> false)) {
            assertThatThrownBy(() -> file.write(ByteBuffer.allocate(1), 0))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("/dev/full")
                    .hasMessageContaining("No space left on device");
        }
    }
}
