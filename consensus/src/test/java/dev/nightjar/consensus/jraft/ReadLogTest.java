/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.consensus.Consensus;
import dev.nightjar.consensus.ConsensusConfig;
import dev.nightjar.consensus.ConsensusEngine;
import dev.nightjar.consensus.LogCorruptException;
import dev.nightjar.consensus.LogReading;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.consensus.RecordingStateMachine;
import dev.nightjar.consensus.Transport;
import dev.nightjar.consensus.log.CountingFiles;
import dev.nightjar.consensus.log.DiskFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log is read before its member starts: nobody may see the difference until then. */
class ReadLogTest {
    private static final MemberId SELF = new MemberId(7);
    private static final int ENTRIES = 20;

    @TempDir
    Path directory;

    private ConsensusConfig config() {
        return ConsensusConfig.of(
                        SELF, List.of(SELF), directory.resolve("wal"), directory.resolve("snap"), System::nanoTime)
                .withLimits(new ConsensusConfig.Limits(4096, 4096, 100, 1 << 20));
    }

    private void write() throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine();
        try (Consensus consensus = ConsensusEngine.start(config(), machine, Transport.none())) {
            machine.awaitLeading();
            for (int i = 0; i < ENTRIES; i++) {
                RecordingStateMachine.propose(consensus, "entry " + i).applied().get(20, TimeUnit.SECONDS);
            }
        }
    }

    /** The segment that was written last. */
    private Path segment() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("wal"))) {
            return files.filter(file -> String.valueOf(file.getFileName()).startsWith("log-"))
                    .max(Path::compareTo)
                    .orElseThrow();
        }
    }

    private Map<String, byte[]> content() throws IOException {
        Map<String, byte[]> content = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                content.put(directory.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
        return content;
    }

    /** Puts bytes where the next entry would be, as a crash may leave them, and returns their place. */
    private int tear(Path segment) throws IOException {
        byte[] bytes = Files.readAllBytes(segment);
        int end = bytes.length;
        while (bytes[end - 1] == 0) {
            end--;
        }
        bytes[end + 10] = 1;
        Files.write(segment, bytes);
        return end + 10;
    }

    @Test
    void a_member_that_does_not_start_leaves_its_torn_log_as_it_was() throws Exception {
        write();
        Path segment = segment();
        int torn = tear(segment);
        Map<String, byte[]> before = content();

        ConsensusEngine.readLog(config()).close();

        Map<String, byte[]> after = content();
        assertThat(after.keySet()).isEqualTo(before.keySet());
        before.forEach((name, bytes) -> assertThat(after.get(name)).as(name).isEqualTo(bytes));

        RecordingStateMachine machine = new RecordingStateMachine();
        LogReading log = ConsensusEngine.readLog(config());
        try (Consensus consensus = ConsensusEngine.start(log, machine, Transport.none())) {
            machine.awaitLeading();
            log.close(); // it is the member's now
            RecordingStateMachine.propose(consensus, "one more").applied().get(20, TimeUnit.SECONDS);
            assertThat(Files.readAllBytes(segment))
                    .satisfiesAnyOf(
                            bytes -> assertThat(bytes.length).isLessThanOrEqualTo(torn),
                            bytes -> assertThat(bytes[torn]).isNotEqualTo((byte) 1));
        }
    }

    @Test
    void a_log_that_is_not_there_is_not_made_by_reading_it() throws Exception {
        ConsensusEngine.readLog(config()).close();
        assertThat(directory).isEmptyDirectory();

        Files.createDirectory(directory.resolve("wal"));
        ConsensusEngine.readLog(config()).close();
        assertThat(directory.resolve("wal")).isEmptyDirectory();
    }

    /** Reads the log, gives it up and returns how many files of it are open still. */
    private int openAfterGivingUp() throws IOException {
        CountingFiles files = new CountingFiles(DiskFiles.at(directory.resolve("wal")));
        OpeningLog.begin(config(), files).close();
        assertThat(files.opened()).isGreaterThan(1);
        return files.open();
    }

    @Test
    void a_reading_that_is_given_up_leaves_no_file_open() throws Exception {
        write();
        assertThat(openAfterGivingUp()).isZero();

        tear(segment());
        assertThat(openAfterGivingUp()).isZero();

        Path segment = segment();
        byte[] bytes = Files.readAllBytes(segment);
        bytes[200] ^= 1;
        Files.write(segment, bytes);
        assertThat(openAfterGivingUp()).isZero();

        CountingFiles files = new CountingFiles(DiskFiles.at(directory.resolve("wal")));
        try (OpeningLog log = OpeningLog.begin(config(), files)) {
            assertThatThrownBy(log::finish).isInstanceOf(LogCorruptException.class);
        }
        assertThat(files.opened()).isGreaterThan(1);
        assertThat(files.open()).isZero();
    }

    private long end() throws IOException {
        try (LogReading log = ConsensusEngine.readLog(config())) {
            return log.end();
        }
    }

    private long lastIndex() throws IOException {
        return ConsensusEngine.checkLog(directory.resolve("wal"), directory.resolve("snap"))
                .lastIndex();
    }

    @Test
    void where_a_log_ends_is_known_before_anything_is_written() throws Exception {
        assertThat(end()).isZero();
        write();
        long last = lastIndex();
        assertThat(last).isGreaterThanOrEqualTo(ENTRIES);
        assertThat(end()).isEqualTo(last);

        tear(segment());
        Map<String, byte[]> torn = content();
        assertThat(end()).isEqualTo(last);
        assertThat(content()).usingRecursiveComparison().isEqualTo(torn);
    }

    @Test
    void a_log_that_is_behind_the_newest_snapshot_ends_with_that_and_is_no_obstacle() throws Exception {
        write();
        Map<String, byte[]> older = content();
        long snapshot = writeMoreAndTakeSnapshot();
        long last = lastIndex();
        for (String file : content().keySet()) {
            if (file.startsWith("wal")) {
                Files.delete(directory.resolve(file));
            }
        }
        for (Map.Entry<String, byte[]> file : older.entrySet()) {
            if (file.getKey().startsWith("wal")) {
                Files.write(directory.resolve(file.getKey()), file.getValue());
            }
        }
        assertThat(lastIndex()).isLessThan(last);

        assertThat(end()).isEqualTo(snapshot);
        write();
        assertThat(end()).isGreaterThanOrEqualTo(snapshot + ENTRIES);
    }

    private long writeMoreAndTakeSnapshot() throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine();
        try (Consensus consensus = ConsensusEngine.start(config(), machine, Transport.none())) {
            machine.awaitLeading();
            RecordingStateMachine.propose(consensus, "one more").applied().get(20, TimeUnit.SECONDS);
            return consensus.snapshot().get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void damage_is_told_when_the_member_starts() throws Exception {
        write();
        Path segment = segment();
        byte[] bytes = Files.readAllBytes(segment);
        bytes[200] ^= 1;
        Files.write(segment, bytes);

        LogReading log = ConsensusEngine.readLog(config());

        assertThatThrownBy(() -> ConsensusEngine.start(log, new RecordingStateMachine(), Transport.none()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(segment.toString())
                .hasMessageContaining("is damaged");
        log.close();
        assertThat(Files.readAllBytes(segment)).isEqualTo(bytes);
    }
}
