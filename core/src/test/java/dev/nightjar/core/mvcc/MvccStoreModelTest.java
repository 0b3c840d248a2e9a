/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.core.mvcc.RangeQuery.RevisionFilter;
import dev.nightjar.core.mvcc.RangeQuery.SortOrder;
import dev.nightjar.core.mvcc.RangeQuery.SortTarget;
import dev.nightjar.core.storage.HostileFileSystem;
import dev.nightjar.core.storage.MemoryRecordStore;
import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.SegmentLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random histories on the store and on {@link Model}; every answer has to be the same. */
class MvccStoreModelTest {

    private static final byte[] ALL = {0};

    private final long seed = Long.getLong("nightjar.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Model model = new Model();
    private final List<byte[]> keys = new ArrayList<>();
    private long appliedIndex;
    private boolean images;
    private int imagesWritten;
    private boolean imaging;

    @Test
    void storeInMemoryAnswersLikeTheModel() throws Exception {
        MemoryRecordStore records = new MemoryRecordStore();
        run(() -> records, 400);
    }

    @Test
    void storeInSegmentsAnswersLikeTheModel() throws Exception {
        HostileFileSystem files = new HostileFileSystem();
        files.writeShort(new Random(seed));
        run(() -> SegmentLog.open(new SegmentLog.Options(files, Path.of("/store"), 4096, 7, Runnable::run)), 400);
    }

    @Test
    void storeThatStartsFromImagesAnswersLikeTheModel() throws Exception {
        HostileFileSystem files = new HostileFileSystem();
        images = true;
        run(() -> SegmentLog.open(new SegmentLog.Options(files, Path.of("/store"), 4096, 7, Runnable::run)), 600);
        assertThat(imagesWritten).isGreaterThan(5);
    }

    @Test
    void manyKeysAnswerLikeTheModel() throws Exception {
        MemoryRecordStore records = new MemoryRecordStore();
        for (int i = 0; i < 4000; i++) {
            keys.add(("/registry/pods/ns-" + random.nextInt(20) + "/" + i).getBytes(UTF_8));
        }
        run(() -> records, 400);
    }

    private void run(Callable<RecordStore> records, int rounds) throws Exception {
        if (keys.isEmpty()) {
            addHostileKeys();
        }
        MvccStore store = MvccStore.open(records.call());
        try {
            for (int round = 0; round < rounds; round++) {
                batch(store);
                check(store);
                if (random.nextInt(20) == 0 && model.compacted < model.revision) {
                    compact(store);
                }
                if (random.nextInt(3) == 0) {
                    store.compactStep(Long.MAX_VALUE);
                }
                for (int i = random.nextInt(3); i > 0; i--) {
                    store.packStep(false);
                }
                if (images) {
                    imageSteps(store);
                }
                if (random.nextInt(25) == 0) {
                    long inUse = store.sizeInUseBytes();
                    boolean settled = store.compactionDoneRevision() == store.compactedRevision();
                    store.close();
                    imaging = false;
                    store = MvccStore.open(records.call());
                    assertThat(store.appliedIndex()).isEqualTo(appliedIndex);
                    if (settled) {
                        assertThat(store.sizeInUseBytes()).isEqualTo(inUse);
                    }
                    check(store);
                }
            }
            checkEvents(store);
            store.close();
        } catch (Throwable e) {
            throw new AssertionError("replay with -Dnightjar.seed=" + seed, e);
        }
    }

    private void imageSteps(MvccStore store) throws IOException {
        if (imaging || random.nextInt(10) == 0) {
            for (int i = random.nextInt(3); i > 0; i--) {
                boolean before = imaging;
                imaging = store.imageStep();
                imagesWritten += before && !imaging ? 1 : 0;
            }
        }
    }

    private void addHostileKeys() {
        for (int i = 0; i < 40; i++) {
            keys.add(("k" + i).getBytes(UTF_8));
            byte[] binary = new byte[1 + random.nextInt(6)];
            random.nextBytes(binary);
            keys.add(binary);
        }
        for (int length : new int[] {1, 2, 3, 4, 5, 8, 9, 999, 1000, 1001, 5000}) {
            byte[] zeros = new byte[length];
            keys.add(zeros);
            byte[] high = new byte[length];
            Arrays.fill(high, (byte) 0xff);
            keys.add(high);
        }
    }

    private byte[] key() {
        return keys.get(random.nextInt(keys.size()));
    }

    private byte[] end() {
        return switch (random.nextInt(4)) {
            case 0 -> new byte[0];
            case 1 -> ALL;
            default -> key();
        };
    }

    // ---- writing

    private void batch(MvccStore store) {
        int commands = random.nextInt(5);
        int firstEvent = model.events.size();
        for (int i = 0; i < commands; i++) {
            transaction(store);
        }
        appliedIndex++;
        long published = store.publishedRevision();
        List<Change> changes = store.commit(appliedIndex, 1);
        assertThat(store.publishedRevision()).isEqualTo(published);
        assertThat(store.range(RangeQuery.range(new byte[] {0}, ALL)).count())
                .isEqualTo(model.range(new byte[] {0}, ALL, published).size());
        List<Model.Event> events = model.events.subList(firstEvent, model.events.size());
        assertThat(changes).hasSameSizeAs(events);
        store.publish();
        for (int i = 0; i < changes.size(); i++) {
            assertEvent(store, changes.get(i), events.get(i));
        }
        assertThat(store.publishedRevision()).isEqualTo(model.revision).isEqualTo(store.currentRevision());
    }

    private void transaction(MvccStore store) {
        WriteTxn txn = store.begin();
        assertThat(txn.baseRevision()).isEqualTo(model.revision);
        List<byte[]> used = new ArrayList<>();
        int ops = random.nextInt(4);
        int events = model.events.size();
        for (int i = 0; i < ops; i++) {
            byte[] key = key();
            if (random.nextInt(4) > 0) {
                if (used.stream().noneMatch(each -> Arrays.equals(each, key))) {
                    used.add(key);
                    put(txn, key);
                }
            } else if (used.isEmpty()) {
                byte[] end = random.nextInt(3) == 0 ? end() : new byte[0];
                delete(txn, key, end);
                used.addAll(keys);
            } else {
                List<Model.Entry> expected = model.range(key, ALL, model.revision + 1);
                assertEntries(txn.range(RangeQuery.range(key, ALL)).kvs(), expected);
            }
        }
        boolean changed = model.events.size() > events;
        assertThat(txn.changed()).isEqualTo(changed);
        model.revision += changed ? 1 : 0;
        assertThat(txn.revision()).isEqualTo(model.revision);
        txn.end();
    }

    private void put(WriteTxn txn, byte[] key) {
        byte[] value = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(300)];
        random.nextBytes(value);
        long lease = random.nextInt(3) == 0 ? random.nextLong() : 0;
        Model.Entry before = model.get(key, model.revision + 1);
        Model.Entry now = model.put(key, value, lease);
        txn.put(key, ByteBuffer.wrap(value), lease);
        assertEntry(txn.previous(), before);
        assertThat(txn.previousLease()).isEqualTo(before == null ? 0 : before.lease());
        assertEntry(txn.get(key), now);
    }

    private void delete(WriteTxn txn, byte[] key, byte[] end) {
        List<Model.Entry> expected = model.delete(key, end);
        DeleteResult deleted = txn.delete(key, end);
        assertThat(deleted.count()).isEqualTo(expected.size());
        List<KvView> previous = new ArrayList<>();
        int i = 0;
        for (DeleteResult.DeletedKey gone : deleted) {
            assertThat(gone.key()).isEqualTo(expected.get(i).key());
            assertThat(gone.lease()).isEqualTo(expected.get(i).lease());
            previous.add(gone.previous());
            i++;
        }
        assertEntries(previous, expected);
    }

    private void compact(MvccStore store) {
        long to = model.compacted + 1 + random.nextInt((int) (model.revision - model.compacted));
        assertThatThrownBy(() -> store.compact(model.compacted)).isInstanceOf(RevisionCompactedException.class);
        assertThatThrownBy(() -> store.compact(model.revision + 1)).isInstanceOf(FutureRevisionException.class);
        store.compact(to);
        store.commit(++appliedIndex, 1);
        assertThat(store.compactedRevision()).isEqualTo(model.compacted);
        store.publish();
        model.compacted = to;
        assertThat(store.compactedRevision()).isEqualTo(to);
    }

    // ---- checking

    private void check(MvccStore store) {
        for (int i = 0; i < 8; i++) {
            checkQuery(store);
        }
        assertThat(store.keyCount())
                .isEqualTo(model.range(new byte[] {0}, ALL, model.revision).size());
    }

    private void checkQuery(MvccStore store) {
        long at = random.nextInt(3) == 0 ? 0 : random.nextLong(model.revision + 2);
        long limit = random.nextInt(3) == 0 ? 0 : random.nextInt(12);
        RangeQuery query = new RangeQuery(
                key(),
                end(),
                at,
                limit,
                false,
                random.nextInt(6) == 0,
                random.nextInt(3) == 0 ? filter() : RevisionFilter.NONE,
                new RangeQuery.Sort(pick(SortTarget.values()), pick(SortOrder.values())));
        if (at > model.revision) {
            assertThatThrownBy(() -> store.range(query)).isInstanceOf(FutureRevisionException.class);
            return;
        }
        if (at != 0 && at < model.compacted) {
            assertThatThrownBy(() -> store.range(query)).isInstanceOf(RevisionCompactedException.class);
            return;
        }
        long revision = at == 0 ? model.revision : at;
        RangeResult result = store.range(query);
        assertThat(result.revision()).isEqualTo(revision);
        assertThat(result.count())
                .isEqualTo(model.range(query.key(), query.end(), revision).size());
        List<Model.Entry> expected = query.countOnly() ? List.of() : model.answer(query, revision);
        boolean more = limit > 0 && expected.size() > limit;
        assertThat(result.more()).isEqualTo(more);
        assertEntries(result.kvs(), more ? expected.subList(0, (int) limit) : expected);
    }

    private <T> T pick(T[] options) {
        return options[random.nextInt(options.length)];
    }

    private RevisionFilter filter() {
        return new RevisionFilter(bound(), bound(), bound(), bound());
    }

    private long bound() {
        return random.nextBoolean() ? 0 : 1 + random.nextLong(model.revision + 1);
    }

    private void checkEvents(MvccStore store) {
        long from = Math.max(model.compacted, 0);
        List<Model.Event> expected =
                model.events.stream().filter(event -> event.now().mod() >= from).toList();
        List<Change> seen = new ArrayList<>();
        assertThat(store.scan(from, model.revision, seen::add)).isEqualTo(model.revision + 1);
        assertThat(seen).hasSameSizeAs(expected);
        for (int i = 0; i < seen.size(); i++) {
            assertEvent(store, seen.get(i), expected.get(i));
        }
        if (model.compacted > 0) {
            assertThat(store.scan(model.compacted - 1, model.revision, _ -> true))
                    .isEqualTo(-1);
        }
    }

    private void assertEvent(MvccStore store, Change change, Model.Event event) {
        Model.Entry now = event.now();
        assertThat(change.key()).isEqualTo(now.key());
        assertThat(change.revision()).isEqualTo(now.mod());
        assertThat(change.delete()).isEqualTo(!now.exists());
        assertThat(change.keyValue()).isEqualTo(KeyValues.encode(now));
        byte[] previous = store.previous(change);
        Model.Entry before = event.before();
        if (before == null) {
            assertThat(previous).isNull();
        } else if (previous != null || now.mod() > model.compacted) {
            assertThat(previous).isEqualTo(KeyValues.encode(before));
        }
    }

    private static void assertEntries(List<KvView> views, List<Model.Entry> expected) {
        assertThat(views).hasSameSizeAs(expected);
        for (int i = 0; i < views.size(); i++) {
            assertEntry(views.get(i), expected.get(i));
        }
    }

    private static void assertEntry(@Nullable KvView view, Model.@Nullable Entry expected) {
        if (view == null || expected == null) {
            assertThat(view == null).isEqualTo(expected == null);
            return;
        }
        assertThat(view.key()).isEqualTo(expected.key());
        assertThat(view.createRevision()).isEqualTo(expected.create());
        assertThat(view.modRevision()).isEqualTo(expected.mod());
        assertThat(view.version()).isEqualTo(expected.version());
        assertThat(view.lease()).isEqualTo(expected.lease());
        assertThat(view.value()).isEqualTo(ByteBuffer.wrap(expected.value()));
        byte[] encoded = KeyValues.encode(expected);
        assertThat(view.encoded()).isEqualTo(ByteBuffer.wrap(encoded));
        byte[] withoutValue = KeyValues.encode(new Model.Entry(
                expected.key(), new byte[0], expected.create(), expected.mod(), expected.version(), expected.lease()));
        assertThat(view.encoded().limit(view.encodedLengthWithoutValue())).isEqualTo(ByteBuffer.wrap(withoutValue));
        byte[] copy = new byte[view.encodedLength()];
        view.copyEncoded(copy, 0, copy.length);
        assertThat(copy).isEqualTo(encoded);
    }

    @Test
    void openOfNothingIsAFreshStore() throws IOException {
        try (MvccStore store = MvccStore.open(new MemoryRecordStore())) {
            assertThat(store.publishedRevision()).isEqualTo(1);
            assertThat(store.compactedRevision()).isEqualTo(-1);
            assertThat(store.appliedIndex()).isZero();
            assertThat(store.keyCount()).isZero();
        }
    }
}
