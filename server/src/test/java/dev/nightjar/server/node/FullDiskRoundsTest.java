/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FullDiskRoundsTest {
    @TempDir
    Path directory;

    private long usable = 1L << 40;
    private long storeBytes = 8 << 20;
    private boolean packing;
    private int snapshots;
    private DiskReserve reserve;
    private FullDisk rounds;

    @BeforeEach
    void create() throws IOException {
        reserve = DiskReserve.of(directory.resolve("reserve"), () -> usable);
        rounds = new FullDisk(reserve, () -> packing, () -> storeBytes, () -> {
            snapshots++;
            return CompletableFuture.completedFuture(1L);
        });
        rounds.run();
    }

    private void fill() {
        usable = 0;
        assertThat(reserve.makeRoom(new IOException("No space left on device"))).isTrue();
    }

    @Test
    void takesNoSnapshotWhileThereIsRoom() {
        storeBytes = 0;
        for (int i = 0; i < 2 * FullDisk.ROUNDS_TO_SNAPSHOT; i++) {
            rounds.run();
        }
        assertThat(snapshots).isZero();
    }

    @Test
    void onAFullDiskASnapshotLetsGoOfWhatWasPackedAndASecondOneOfTheLog() {
        fill();
        rounds.run();
        assertThat(snapshots).isZero();
        storeBytes -= FullDisk.WORTH_BYTES;
        rounds.run();
        assertThat(snapshots).isEqualTo(2);
        rounds.run();
        assertThat(snapshots).isEqualTo(2);
    }

    @Test
    void onAFullDiskOneIsTakenNowAndThenAlsoWithoutThat() {
        fill();
        for (int i = 0; i < FullDisk.ROUNDS_TO_SNAPSHOT; i++) {
            rounds.run();
        }
        assertThat(snapshots).isEqualTo(2);
    }

    @Test
    void theReserveIsNotFilledWhilePackingHasIt() {
        fill();
        packing = true;
        usable = 1L << 40;
        rounds.run();
        assertThat(reserve.isTouched()).isTrue();
        packing = false;
        rounds.run();
        assertThat(reserve.isTouched()).isFalse();
    }
}
