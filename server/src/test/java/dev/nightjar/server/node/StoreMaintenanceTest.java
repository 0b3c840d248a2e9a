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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
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
    private long nanos;
    private boolean closed;

    @BeforeEach
    void open() throws IOException {
        store = MvccStore.open(SegmentLog.open(
                new SegmentLog.Options(FileSystem.real(), directory, SegmentLog.SEGMENT_BYTES, 1, Runnable::run)));
        maintenance =
                new StoreMaintenance(store, schedule, CompactionPace.DEFAULT, failures::add, e -> false, () -> nanos);
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
        maintenance =
                new StoreMaintenance(store, schedule, CompactionPace.DEFAULT, failures::add, e -> false, () -> nanos);
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

    private List<String> waitFor(long revision) {
        PhysicalCompaction place = Objects.requireNonNull(maintenance.waitForCompaction(Runnable::run));
        List<String> told = new ArrayList<>();
        place.await(revision, error -> told.add(error == null ? "done" : error.name()));
        return told;
    }

    private void overwriteMany() {
        for (int i = 0; i < 20_000; i++) {
            put("k" + i % 10_000);
        }
    }

    @Test
    void whoever_waits_for_a_compaction_is_told_once_it_is_carried_out() {
        overwriteMany();
        compact(2000);
        maintenance.compactionAsked();
        List<String> first = waitFor(2000);
        List<String> second = waitFor(2000);
        schedule.advance(0);
        assertThat(store.compactionDoneRevision()).isLessThan(2000);
        assertThat(first).isEmpty();
        schedule.advance(10_000);
        assertThat(first).containsExactly("done");
        assertThat(second).containsExactly("done");
        List<String> late = waitFor(1000);
        schedule.advance(0);
        assertThat(late).containsExactly("done");
    }

    @Test
    void whoever_waits_when_the_member_ends_is_told_so() {
        overwriteMany();
        compact(2000);
        maintenance.compactionAsked();
        List<String> told = waitFor(2000);
        schedule.advance(0);
        maintenance.close();
        schedule.advance(10_000);
        assertThat(told).containsExactly("STOPPED");
        List<String> late = waitFor(2000);
        schedule.advance(0);
        assertThat(late).containsExactly("STOPPED");
        assertThat(schedule.nextMillis()).isEqualTo(-1);
    }

    @Test
    void whoever_waits_when_calls_are_to_end_is_told_so_and_the_compaction_goes_on() {
        overwriteMany();
        compact(2000);
        maintenance.compactionAsked();
        List<String> told = waitFor(2000);
        schedule.advance(0);
        assertThat(store.compactionDoneRevision()).isLessThan(2000);
        maintenance.stopWaiting();
        schedule.advance(0);
        assertThat(told).containsExactly("STOPPED");
        schedule.advance(10_000);
        assertThat(store.compactionDoneRevision()).isEqualTo(2000);
    }

    @Test
    void only_so_many_wait_and_who_leaves_makes_room() {
        List<PhysicalCompaction> places = new ArrayList<>();
        for (int i = 0; i < CompactionWaiters.MOST; i++) {
            places.add(Objects.requireNonNull(maintenance.waitForCompaction(Runnable::run)));
        }
        assertThat(maintenance.waitForCompaction(Runnable::run)).isNull();
        places.getFirst().leave();
        places.getFirst().leave();
        schedule.advance(0);
        assertThat(maintenance.waitForCompaction(Runnable::run)).isNotNull();
        assertThat(maintenance.waitForCompaction(Runnable::run)).isNull();
        places.get(1).await(5, error -> failures.add(new AssertionError("told though it left")));
        schedule.advance(0);
        places.get(1).leave();
        schedule.advance(0);
        for (int i = 0; i < 5; i++) {
            put("k");
        }
        compact(5);
        maintenance.compactionAsked();
        schedule.advance(100);
        assertThat(failures).isEmpty();
    }

    @Test
    void a_compaction_goes_in_steps_and_pauses_as_asked() {
        maintenance = new StoreMaintenance(
                store, schedule, CompactionPace.of(10, Duration.ofMillis(50)), failures::add, e -> false, () -> nanos);
        for (int i = 0; i < 2000; i++) {
            put("k" + i % 1000);
        }
        compact(2000);
        maintenance.compactionAsked();
        schedule.advance(0);
        assertThat(schedule.nextMillis()).isEqualTo(50);
        schedule.advance(100);
        assertThat(store.compactionDoneRevision()).isLessThan(2000);
        schedule.advance(10_000);
        assertThat(store.compactionDoneRevision()).isEqualTo(2000);
    }

    @Test
    void after_a_step_that_took_long_the_pause_is_three_times_as_long() {
        maintenance = new StoreMaintenance(
                store,
                schedule,
                CompactionPace.of(10, Duration.ofMillis(50)),
                failures::add,
                e -> false,
                () -> nanos += TimeUnit.MILLISECONDS.toNanos(40));
        for (int i = 0; i < 2000; i++) {
            put("k" + i % 1000);
        }
        compact(2000);
        maintenance.compactionAsked();
        schedule.advance(0);
        assertThat(schedule.nextMillis()).isEqualTo(120);
        schedule.advance(50);
        assertThat(schedule.nextMillis()).isEqualTo(70);
    }

    @Test
    void all_disk_space_comes_back_when_asked_for_also_what_lies_in_the_newest_file() throws IOException {
        for (int i = 0; i < 2000; i++) {
            put("k" + i);
        }
        for (int i = 0; i < 500; i++) {
            put("k" + i);
        }
        compact(2501);
        maintenance.compactionAsked();
        schedule.advance(1000);
        long before = store.sizeBytes();
        List<String> told = new ArrayList<>();
        maintenance.packAll(problem -> told.add("packed " + (problem == null)));
        schedule.advance(1000);
        assertThat(told).containsExactly("packed true");
        assertThat(store.sizeBytes()).isEqualTo(before);
        store.cut();
        store.sync();
        maintenance.packAll(problem -> told.add("packed " + (problem == null)));
        maintenance.packAll(problem -> told.add("again " + (problem == null)));
        schedule.advance(1000);
        assertThat(told).containsExactly("packed true", "packed true", "again true");
        assertThat(store.sizeBytes()).isLessThan(before * 9 / 10);
        assertThat(failures).isEmpty();
    }

    @Test
    void only_so_many_ask_for_disk_space_at_a_time() {
        overwriteMany();
        compact(2000);
        maintenance.compactionAsked();
        List<Boolean> told = new ArrayList<>();
        for (int i = 0; i <= StoreMaintenance.MOST_PACKERS; i++) {
            maintenance.packAll(problem -> told.add(problem == null));
        }
        schedule.advance(0);
        assertThat(told).containsExactly(false);
        schedule.advance(10_000);
        assertThat(told).hasSize(StoreMaintenance.MOST_PACKERS + 1).endsWith(true);
    }
}
