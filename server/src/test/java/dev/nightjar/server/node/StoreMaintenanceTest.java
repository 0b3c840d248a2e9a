/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.mvcc.WriteTxn;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreMaintenanceTest {
    @TempDir
    Path directory;

    private final ManualSchedule schedule = new ManualSchedule();
    private final List<Throwable> failures = new ArrayList<>();
    private static final long SMALL_SEGMENT_BYTES = 16 * 1024;

    private MvccStore store;
    private StoreMaintenance maintenance;
    private long index;
    private boolean closed;

    @BeforeEach
    void open() throws IOException {
        store = MvccStore.open(SegmentLog.open(
                new SegmentLog.Options(FileSystem.real(), directory, SegmentLog.SEGMENT_BYTES, 1, Runnable::run)));
        maintenance = new StoreMaintenance(store, schedule, failures::add);
        maintenance.start();
        schedule.advance(0);
    }

    @AfterEach
    void close() throws IOException {
        if (!closed) {
            closed = true;
            store.close();
        }
    }

    private void put(String key) {
        WriteTxn txn = store.begin();
        txn.put(key.getBytes(StandardCharsets.UTF_8), ByteBuffer.allocate(10), 0);
        txn.end();
        commit();
    }

    private void compact(long revision) {
        store.compact(revision);
        commit();
    }

    private void commit() {
        store.commit(++index, 1);
        store.publish();
    }

    @Test
    void a_compaction_goes_on_in_steps_until_all_is_done() {
        for (int i = 0; i < 2000; i++) {
            put("k" + i % 1000);
        }
        long before = store.sizeInUseBytes();
        compact(2000);
        maintenance.compactionAsked();
        schedule.advance(1000);
        assertThat(store.compactionDoneRevision()).isEqualTo(2000);
        assertThat(store.sizeInUseBytes()).isLessThan(before);
        assertThat(schedule.nextMillis()).isEqualTo(-1);
    }

    @Test
    void disk_space_comes_back_after_a_compaction() throws IOException {
        close();
        store = MvccStore.open(SegmentLog.open(
                new SegmentLog.Options(FileSystem.real(), directory, SMALL_SEGMENT_BYTES, 1, Runnable::run)));
        closed = false;
        maintenance = new StoreMaintenance(store, schedule, failures::add);
        for (int i = 0; i < 2000; i++) {
            put("k" + i % 10);
        }
        long before = store.sizeBytes();
        compact(2000);
        maintenance.compactionAsked();
        schedule.advance(1000);
        assertThat(store.sizeBytes()).isLessThan(before / 2);
        assertThat(failures).isEmpty();
    }

    @Test
    void asking_again_while_one_runs_starts_no_second_one() {
        put("a");
        put("a");
        compact(2);
        maintenance.compactionAsked();
        compact(3);
        maintenance.compactionAsked();
        schedule.advance(1000);
        assertThat(store.compactionDoneRevision()).isEqualTo(3);
        assertThat(schedule.nextMillis()).isEqualTo(-1);
    }

    @Test
    void the_store_is_synced_every_few_seconds_and_its_failure_told() throws IOException {
        put("a");
        schedule.advance(4999);
        close();
        assertThat(failures).isEmpty();
        schedule.advance(1);
        assertThat(failures).hasSize(1);
    }
}
