/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.RecordType;
import dev.nightjar.core.storage.StoredRecord;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A digest of the keys and their history, to compare members. Equal wherever the same commands were applied, the
 * revision and the compacted revision are the same; how far the physical side of compaction has come does not matter.
 *
 * <p>Digested are, in this order: of the keys that exist at the revision, those last changed at or below the compacted
 * revision, ascending by key; then every change between the compacted revision and the revision, in order.
 *
 * @param hash CRC32C of their records
 * @param compactedRevision the compacted revision, -1 if none
 * @param revision the revision that was digested
 */
public record KvHash(int hash, long compactedRevision, long revision) {

    /** Any thread; takes about as long as reading everything once. */
    static KvHash of(MvccStore store, RangeReader.Source source, long askedRevision) {
        CRC32C crc = new CRC32C();
        RecordStore.Snapshot log;
        long revision;
        long compacted;
        long stamp = store.lock().readLock();
        try {
            revision = askedRevision <= 0 ? source.newestRevision() : askedRevision;
            compacted = store.compactedRevision();
            if (revision > source.newestRevision()) {
                throw new FutureRevisionException();
            }
            if (revision < compacted) {
                throw new RevisionCompactedException(compacted);
            }
            log = source.log();
            store.pins().pin(revision);
        } finally {
            store.lock().unlockRead(stamp);
        }
        try {
            addOldKeys(store, source, revision, compacted, crc);
            if (log != null) {
                log.scan(compacted + 1, revision, change -> {
                    add(crc, change);
                    return true;
                });
            }
        } finally {
            store.pins().unpin(revision);
        }
        return new KvHash((int) crc.getValue(), compacted, revision);
    }

    private static void addOldKeys(
            MvccStore store, RangeReader.Source source, long revision, long compacted, CRC32C crc) {
        KeyScan scan = new KeyScan(new byte[0], null, revision, Long.MAX_VALUE, false);
        while (!scan.isDone()) {
            RecordStore.Places places;
            long stamp = store.lock().readLock();
            try {
                places = source.places();
                scan.readChunk(store.index());
            } finally {
                store.lock().unlockRead(stamp);
            }
            for (int i = 0; i < scan.size(); i++) {
                StoredRecord record = places.read(scan.place(i));
                if (record == null) {
                    throw new IllegalStateException("the index names a place that is gone");
                }
                if (record.revision() <= compacted) {
                    add(crc, record);
                }
            }
            scan.clear();
        }
    }

    private static void add(CRC32C crc, StoredRecord record) {
        ByteBuffer body = record.memory()
                .asSlice(record.bodyOffset(), record.bodyLength())
                .asByteBuffer();
        crc.update(record.type() == RecordType.TOMBSTONE ? 1 : 0);
        crc.update(body);
    }
}
