/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.consensus.Consensus;
import dev.nightjar.consensus.ConsensusConfig;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.consensus.RecordingStateMachine;
import dev.nightjar.consensus.Transport;
import dev.nightjar.consensus.log.HostileFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotTest {
    private static final MemberId SELF = new MemberId(7);

    @TempDir
    Path directory;

    private final HostileFiles logFiles = new HostileFiles();
    private final HostileFiles voteFiles = new HostileFiles();

    private Consensus start(RecordingStateMachine machine) throws IOException {
        ConsensusConfig config = ConsensusConfig.of(
                        SELF, List.of(SELF), directory.resolve("wal"), directory.resolve("snap"), System::nanoTime)
                .withLimits(new ConsensusConfig.Limits(4096, 4096, 100, 1 << 20));
        return JraftConsensus.start(config, machine, Transport.none(), logFiles, voteFiles);
    }

    private static void write(Consensus consensus, String prefix, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            RecordingStateMachine.propose(consensus, prefix + i).applied().get(60, TimeUnit.SECONDS);
        }
    }

    private static long segments(List<String> names) {
        return names.stream().filter(name -> name.startsWith("log-")).count();
    }

    @Test
    void a_snapshot_cuts_the_log_behind_the_one_before_and_a_restart_replays_only_the_rest() throws Exception {
        long newest;
        RecordingStateMachine before = new RecordingStateMachine();
        try (Consensus consensus = start(before)) {
            before.awaitLeading();
            write(consensus, "a", 300);
            // Before the first snapshot: the second, with nothing new, lets the engine cut behind the first at once.
            long uncut = segments(logFiles.list());
            long first = consensus.snapshot().get(60, TimeUnit.SECONDS);
            assertThat(first).isEqualTo(consensus.status().appliedIndex());
            assertThat(consensus.snapshot().get(60, TimeUnit.SECONDS)).isEqualTo(first);
            write(consensus, "b", 300);
            assertThat(consensus.snapshot().get(60, TimeUnit.SECONDS)).isEqualTo(first + 300);
            write(consensus, "c", 300);
            newest = consensus.snapshot().get(60, TimeUnit.SECONDS);
            assertThat(consensus.status().snapshotIndex()).isEqualTo(newest);
            write(consensus, "d", 5);
            logFiles.awaitNames(names -> segments(names) <= uncut * 5 / 2);
        }
        AtomicLong replayed = new AtomicLong();
        RecordingStateMachine after = new RecordingStateMachine() {
            @Override
            public void apply(Entries entries) {
                super.apply(new Entries() {
                    @Override
                    public boolean next() {
                        boolean more = entries.next();
                        replayed.addAndGet(more ? 1 : 0);
                        return more;
                    }

                    @Override
                    public long index() {
                        return entries.index();
                    }

                    @Override
                    public long term() {
                        return entries.term();
                    }

                    @Override
                    public java.nio.ByteBuffer command() {
                        return entries.command();
                    }

                    @Override
                    public dev.nightjar.consensus.@org.jspecify.annotations.Nullable Proposal proposal() {
                        return entries.proposal();
                    }
                });
            }
        };
        try (Consensus consensus = start(after)) {
            after.awaitLeading();
            assertThat(after.commands()).isEqualTo(before.commands());
            assertThat(replayed.get()).isEqualTo(5);
            assertThat(consensus.status().snapshotIndex()).isEqualTo(newest);
            assertThat(consensus.status().appliedIndex()).isGreaterThan(900);
        }
    }

    @Test
    void a_snapshot_that_fails_leaves_the_member_and_the_older_snapshot_alone() throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine() {
            private final AtomicInteger attempts = new AtomicInteger();

            @Override
            public synchronized CompletableFuture<Void> saveSnapshot(Path target) throws IOException {
                return switch (attempts.incrementAndGet()) {
                    case 2 -> throw new IOException("no space left on device");
                    case 3 -> CompletableFuture.failedFuture(new IOException("no space left on device"));
                    case 4 -> throw new IllegalStateException("broken");
                    default -> super.saveSnapshot(target);
                };
            }
        };
        try (Consensus consensus = start(machine)) {
            machine.awaitLeading();
            write(consensus, "a", 10);
            long first = consensus.snapshot().get(60, TimeUnit.SECONDS);
            for (int i = 0; i < 3; i++) {
                write(consensus, "b" + i + "-", 10);
                assertThatThrownBy(() -> consensus.snapshot().get(60, TimeUnit.SECONDS))
                        .hasMessageContaining("no snapshot");
            }
            assertThat(consensus.snapshot().get(60, TimeUnit.SECONDS)).isEqualTo(first + 30);
            write(consensus, "c", 10);
        }
        RecordingStateMachine after = new RecordingStateMachine();
        try (Consensus consensus = start(after)) {
            after.awaitLeading();
            assertThat(after.commands()).isEqualTo(machine.commands());
            assertThat(consensus.status().leading()).isTrue();
        }
    }

    @Test
    void a_snapshot_that_cannot_be_loaded_refuses_to_start() throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine();
        try (Consensus consensus = start(machine)) {
            machine.awaitLeading();
            write(consensus, "a", 10);
            consensus.snapshot().get(60, TimeUnit.SECONDS);
        }
        RecordingStateMachine broken = new RecordingStateMachine() {
            @Override
            public synchronized void loadSnapshot(Path source, long lastIncludedIndex) throws IOException {
                throw new IOException("what is this?");
            }
        };
        assertThatThrownBy(() -> start(broken)).isInstanceOf(IOException.class).hasRootCauseMessage("what is this?");
        RecordingStateMachine after = new RecordingStateMachine();
        try (Consensus consensus = start(after)) {
            after.awaitLeading();
            assertThat(after.commands()).isEqualTo(machine.commands());
            assertThat(consensus.status().leading()).isTrue();
        }
    }
}
