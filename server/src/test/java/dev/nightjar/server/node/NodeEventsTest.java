/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.consensus.ConsensusStatus;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodeEventsTest {
    private static final MemberId ONE = new MemberId(1);
    private static final MemberId TWO = new MemberId(2);

    @TempDir
    Path directory;

    private MvccStore store;
    private NodeEvents events;

    @BeforeEach
    void open() throws IOException {
        store = MvccStore.open(SegmentLog.open(
                new SegmentLog.Options(FileSystem.real(), directory, SegmentLog.SEGMENT_BYTES, 1, Runnable::run)));
        StoreMaintenance maintenance = new StoreMaintenance(
                store, new ManualSchedule(), CompactionPace.DEFAULT, failure -> {}, e -> false, () -> 0);
        events = new NodeEvents(store, maintenance, new CompletableFuture<>());
    }

    @AfterEach
    void close() throws IOException {
        store.close();
    }

    private long changesAfter(long term, @Nullable MemberId leader) {
        events.leaderChanged(new ConsensusStatus(term, leader, ONE.equals(leader), false, 0, 0, 0));
        return events.leaderChanges();
    }

    @Test
    void every_leader_that_appears_counts_once_the_first_one_too() {
        assertThat(events.leaderChanges()).isZero();
        assertThat(changesAfter(1, null)).isZero();
        assertThat(changesAfter(1, ONE)).isEqualTo(1);
        assertThat(changesAfter(1, ONE)).isEqualTo(1);
        assertThat(changesAfter(2, TWO)).isEqualTo(2);
        assertThat(changesAfter(2, null)).isEqualTo(2);
        assertThat(changesAfter(3, TWO)).isEqualTo(3);
    }
}
