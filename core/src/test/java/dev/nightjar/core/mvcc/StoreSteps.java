/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.storage.HostileFileSystem;
import dev.nightjar.core.storage.SegmentLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Short words for what tests do with a store: keys and values as text, each write its own batch. */
final class StoreSteps {

    static final byte[] ALL = {0};
    static final byte[] ONE = {};
    static final BooleanSupplier NEVER = () -> false;

    private StoreSteps() {}

    static SegmentLog log(HostileFileSystem files, String directory) throws IOException {
        return SegmentLog.open(options(files, directory));
    }

    static SegmentLog.Options options(HostileFileSystem files, String directory) {
        return new SegmentLog.Options(files, Path.of(directory), 4096, 7, Runnable::run);
    }

    static RangeQuery all() {
        return RangeQuery.range(ALL, ALL);
    }

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static String text(ByteBuffer buffer) {
        return UTF_8.decode(buffer).toString();
    }

    static Change put(MvccStore store, String key, String value) {
        WriteTxn txn = store.begin();
        txn.put(bytes(key), ByteBuffer.wrap(bytes(value)), 0);
        txn.end();
        return commit(store).getFirst();
    }

    static Change delete(MvccStore store, String key) {
        WriteTxn txn = store.begin();
        assertThat(txn.delete(bytes(key), ONE).count()).isEqualTo(1);
        txn.end();
        return commit(store).getFirst();
    }

    /** Puts the keys 000000, 000001, … in one transaction. */
    static void putMany(MvccStore store, int count, String value) {
        WriteTxn txn = store.begin();
        for (int i = 0; i < count; i++) {
            txn.put(bytes("%06d".formatted(i)), ByteBuffer.wrap(bytes(value)), 0);
        }
        txn.end();
        commit(store);
    }

    /** Commits and publishes; the applied index counts batches. */
    static List<Change> commit(MvccStore store) {
        List<Change> changes = store.commit(store.appliedIndex() + 1, 1);
        store.publish();
        return changes;
    }

    static long compactAll(MvccStore store) {
        boolean more = true;
        while (more) {
            more = store.compactStep(Long.MAX_VALUE);
        }
        return store.compactionDoneRevision();
    }

    static void pack(MvccStore store) throws IOException {
        boolean more = true;
        while (more) {
            more = store.packStep(false);
        }
    }

    static void compactAndPack(MvccStore store) throws IOException {
        if (store.compactedRevision() < store.currentRevision()) {
            store.compact(store.currentRevision());
            commit(store);
        }
        compactAll(store);
        pack(store);
    }

    /** Puts ten keys in turn, so many times in all. */
    static void overwrite(MvccStore store, int count) {
        for (int i = 0; i < count; i++) {
            put(store, "key" + i % 10, "a value of some length " + i);
        }
    }

    static List<Change> scan(MvccStore store, long from) {
        List<Change> changes = new ArrayList<>();
        store.scan(from, store.publishedRevision(), changes::add);
        return changes;
    }

    static KvView get(MvccStore store, String key) {
        return store.range(RangeQuery.of(bytes(key))).kvs().getFirst();
    }

    static List<String> keys(MvccStore store, RangeQuery query) {
        return store.range(query).kvs().stream()
                .map(view -> new String(view.key(), UTF_8))
                .toList();
    }

    static List<String> rows(MvccStore store, int type) {
        return store.rows(type).stream()
                .map(row -> new String(row.id(), UTF_8) + "=" + new String(row.body(), UTF_8))
                .toList();
    }

    static List<String> range(MvccStore store, RangeQuery query) {
        return store.range(query).kvs().stream()
                .map(view -> new String(view.key(), UTF_8) + "=" + text(view.value()))
                .toList();
    }
}
