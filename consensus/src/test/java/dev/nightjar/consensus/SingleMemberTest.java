/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SingleMemberTest {
    private static final MemberId SELF = new MemberId(0xabcdL);

    @TempDir
    Path directory;

    private Consensus start(RecordingStateMachine machine) throws Exception {
        return ConsensusEngine.start(
                ConsensusConfig.of(
                        SELF, List.of(SELF), directory.resolve("wal"), directory.resolve("snap"), System::nanoTime),
                machine,
                Transport.none());
    }

    @Test
    void a_lone_member_leads_at_once_and_applies_what_is_proposed() throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine();
        try (Consensus consensus = start(machine)) {
            machine.awaitLeading();
            List<Long> indexes = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                indexes.add(RecordingStateMachine.propose(consensus, "c" + i)
                        .applied()
                        .get());
            }
            assertThat(indexes).isSorted().doesNotHaveDuplicates();
            assertThat(machine.commands()).hasSize(10).startsWith("c0").endsWith("c9");
            assertThat(consensus.readBarrier().get()).isGreaterThanOrEqualTo(indexes.getLast());
            assertThat(consensus.status().leading()).isTrue();
            assertThat(consensus.status().leader()).isEqualTo(SELF);
        }
    }

    @Test
    void a_restarted_member_replays_its_log() throws Exception {
        RecordingStateMachine before = new RecordingStateMachine();
        try (Consensus consensus = start(before)) {
            before.awaitLeading();
            for (int i = 0; i < 100; i++) {
                RecordingStateMachine.propose(consensus, "c" + i).applied().get();
            }
        }
        RecordingStateMachine after = new RecordingStateMachine();
        try (Consensus consensus = start(after)) {
            after.awaitLeading();
            assertThat(after.commands()).isEqualTo(before.commands());
            assertThat(consensus.status().term()).isGreaterThan(1);
        }
    }
}
