/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class SnapshotTriggerTest {
    private final List<CompletableFuture<Long>> asked = new ArrayList<>();
    private final SnapshotTrigger trigger = new SnapshotTrigger(100, 40, () -> {
        CompletableFuture<Long> snapshot = new CompletableFuture<>();
        asked.add(snapshot);
        return snapshot;
    });

    @Test
    void a_snapshot_is_taken_after_that_many_entries_from_the_newest_one() {
        trigger.applied(139, 1);
        assertThat(asked).isEmpty();
        trigger.applied(140, 1);
        assertThat(asked).hasSize(1);
    }

    @Test
    void a_snapshot_is_taken_after_that_many_bytes_too() {
        trigger.applied(41, SnapshotTrigger.BYTES - 1);
        assertThat(asked).isEmpty();
        trigger.applied(42, 1);
        assertThat(asked).hasSize(1);
        asked.getFirst().complete(42L);
        trigger.applied(43, SnapshotTrigger.BYTES - 1);
        assertThat(asked).hasSize(1);
    }

    @Test
    void one_at_a_time() {
        trigger.applied(140, 1);
        trigger.applied(300, 1);
        assertThat(asked).hasSize(1);
        asked.getFirst().complete(140L);
        trigger.applied(301, 1);
        assertThat(asked).hasSize(2);
    }

    @Test
    void after_a_failure_it_is_tried_again_when_the_next_one_is_due() {
        trigger.applied(140, 1);
        asked.getFirst().completeExceptionally(new IllegalStateException("disk full"));
        trigger.applied(239, 1);
        assertThat(asked).hasSize(1);
        trigger.applied(240, 1);
        assertThat(asked).hasSize(2);
    }
}
