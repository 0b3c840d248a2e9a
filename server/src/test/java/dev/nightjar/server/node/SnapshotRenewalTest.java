/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SnapshotRenewalTest {
    private static final long MEBIBYTE = 1 << 20;

    private long mebibytes = 100;
    private boolean packing;
    private int snapshots;
    private CompletableFuture<Long> result = CompletableFuture.completedFuture(7L);

    private final SnapshotRenewal renewal = new SnapshotRenewal(() -> packing, () -> mebibytes * MEBIBYTE, () -> {
        snapshots++;
        return result;
    });

    private int after(long storeMebibytes) {
        mebibytes = storeMebibytes;
        renewal.run();
        return snapshots;
    }

    @Test
    void a_store_that_has_lost_half_gets_a_new_snapshot_once() {
        assertThat(after(51)).isZero();
        assertThat(after(50)).isEqualTo(1);
        assertThat(after(50)).isEqualTo(1);
        assertThat(after(26)).isEqualTo(1);
        assertThat(after(25)).isEqualTo(2);
    }

    @Test
    void what_it_has_grown_to_in_between_counts() {
        assertThat(after(300)).isZero();
        assertThat(after(150)).isEqualTo(1);
    }

    @Test
    void it_waits_for_the_end_of_packing() {
        packing = true;
        assertThat(after(10)).isZero();
        packing = false;
        assertThat(after(10)).isEqualTo(1);
    }

    @Test
    void a_few_mebibytes_are_not_worth_a_snapshot() {
        assertThat(after(16)).isEqualTo(1);
        assertThat(after(1)).isEqualTo(1);
        assertThat(after(0)).isEqualTo(2);
    }

    @Test
    void one_that_fails_is_not_tried_every_second() {
        result = CompletableFuture.failedFuture(new IOException("no room"));
        assertThat(after(40)).isEqualTo(1);
        assertThat(after(40)).isEqualTo(1);
    }
}
