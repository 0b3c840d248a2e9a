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
import dev.nightjar.consensus.MemberId;
import dev.nightjar.consensus.RecordingStateMachine;
import dev.nightjar.consensus.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A member refuses to start on files that it will need one day and that are not what it wrote. */
class StartChecksTest {
    private static final MemberId SELF = new MemberId(7);

    @TempDir
    Path directory;

    private Path snapshots() {
        return directory.resolve("snap");
    }

    private Path vote() {
        return snapshots().resolve("vote");
    }

    private Consensus start(RecordingStateMachine machine) throws IOException {
        return start(SELF, machine);
    }

    private Consensus start(MemberId self, RecordingStateMachine machine) throws IOException {
        ConsensusConfig config = ConsensusConfig.of(
                        self, List.of(self), directory.resolve("wal"), snapshots(), System::nanoTime)
                .withLimits(new ConsensusConfig.Limits(4096, 4096, 100, 1 << 20));
        return ConsensusEngine.start(config, machine, Transport.none());
    }

    /** Runs a member that writes and takes so many snapshots. */
    private void run(int count) throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine();
        try (Consensus consensus = start(machine)) {
            machine.awaitLeading();
            for (int i = 0; i < count; i++) {
                RecordingStateMachine.propose(consensus, "entry " + i).applied().get(60, TimeUnit.SECONDS);
                assertThat(consensus.snapshot().get(60, TimeUnit.SECONDS)).isPositive();
            }
        }
    }

    private void assertStarts() throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine();
        try (Consensus consensus = start(machine)) {
            machine.awaitLeading();
            assertThat(consensus.status().leading()).isTrue();
        }
    }

    private void assertRefused(Path file, String reason) {
        assertThatThrownBy(() -> start(new RecordingStateMachine()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining(reason);
    }

    private List<Path> snapshotFiles() throws IOException {
        try (Stream<Path> files = Files.walk(snapshots())) {
            return files.filter(file -> Files.isRegularFile(file) && !file.equals(vote()))
                    .toList();
        }
    }

    private long newestSnapshot() throws IOException {
        try (Stream<Path> entries = Files.list(snapshots())) {
            return entries.map(entry -> String.valueOf(entry.getFileName()))
                    .filter(name -> name.startsWith("snapshot_"))
                    .mapToLong(name -> Long.parseLong(name.substring("snapshot_".length())))
                    .max()
                    .orElseThrow();
        }
    }

    @Test
    void missing_or_shortened_files_of_the_snapshot() throws Exception {
        run(1);
        List<Path> files = snapshotFiles();
        assertThat(files).hasSizeGreaterThanOrEqualTo(2);
        for (Path file : files) {
            byte[] content = Files.readAllBytes(file);
            Files.delete(file);
            assertRefused(file, "snapshot");
            Files.write(file, Arrays.copyOf(content, content.length - 1));
            assertRefused(file, "snapshot");
            Files.write(file, content);
        }
        assertStarts();
    }

    @Test
    void a_list_of_the_snapshots_files_that_belongs_to_another_snapshot() throws Exception {
        run(1);
        Path list = snapshotFiles().stream()
                .filter(file -> file.endsWith("__raft_snapshot_meta"))
                .findFirst()
                .orElseThrow();
        byte[] older = Files.readAllBytes(list);
        Path snapshot = list.getParent();
        run(1);
        assertThat(snapshot).isNotNull().doesNotExist();
        Path newer = snapshotFiles().stream()
                .filter(file -> file.endsWith("__raft_snapshot_meta"))
                .findFirst()
                .orElseThrow();
        Files.write(newer, older);
        assertRefused(newer, "it is not of entry");
    }

    @Test
    void a_log_that_begins_after_a_snapshot_that_is_gone() throws Exception {
        run(3);
        Path newest = snapshots().resolve("snapshot_" + newestSnapshot());
        Path aside = directory.resolve("aside");
        Files.move(newest, aside);
        assertRefused(snapshots(), "holds no snapshot");
        Files.move(aside, newest);
        assertStarts();
    }

    @Test
    void a_vote_that_is_missing_damaged_or_older_than_the_log() throws Exception {
        run(0);
        byte[] first = Files.readAllBytes(vote());
        run(1);
        byte[] second = Files.readAllBytes(vote());
        Files.delete(vote());
        assertRefused(vote(), "is missing");
        for (int at = 0; at < second.length; at++) {
            byte[] damaged = second.clone();
            damaged[at] ^= 0x10;
            Files.write(vote(), damaged);
            assertRefused(vote(), at < 4 ? "not a state file" : "");
        }
        Files.write(vote(), first);
        assertRefused(vote(), "but the log holds entries of term");
        Files.write(vote(), second);
        assertStarts();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void a_log_of_another_member(int snapshots) throws Exception {
        run(snapshots);
        assertThatThrownBy(() -> start(new MemberId(8), new RecordingStateMachine()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(directory.resolve("wal").toString())
                .hasMessageContaining("is not of this member, " + new MemberId(8));
        assertStarts();
    }

    @Test
    void a_member_without_any_file_is_new_and_starts() throws Exception {
        assertStarts();
        assertStarts();
    }
}
