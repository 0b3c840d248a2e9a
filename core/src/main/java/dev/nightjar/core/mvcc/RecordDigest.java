/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordType;
import dev.nightjar.core.storage.StoredRecord;
import dev.nightjar.core.storage.Varint;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * CRC-32C over changes in the form in which etcd stores them, so that both come to the same number. One thread.
 *
 * <pre>
 *   once     "key", the name of etcd's bucket
 *   a put    main revision (8) '_' sub revision (8)          KeyValue: key, create, mod, version, value, lease
 *   a delete main revision (8) '_' sub revision (8) 't'      KeyValue: key
 * </pre>
 *
 * Numbers in the revision are big-endian. Our own records differ from this in two ways: the lease stands before the value,
 * and a tombstone has its revision inside.
 */
final class RecordDigest {

    private static final byte[] BUCKET = "key".getBytes(StandardCharsets.US_ASCII);
    private static final byte TAG_LEASE = 0x30;
    private static final int PUT_HEAD_BYTES = 17;
    private static final int TOMBSTONE_HEAD_BYTES = 18;

    /** Bytes that are copied at a time: most records at once, and values of any size without more memory. */
    private static final int COPY_BYTES = 16 << 10;

    private final CRC32C crc = new CRC32C();
    private final byte[] head = new byte[TOMBSTONE_HEAD_BYTES];
    private final ByteBuffer headNumbers = ByteBuffer.wrap(head);
    private final byte[] copy = new byte[COPY_BYTES];

    RecordDigest() {
        crc.update(BUCKET);
        head[Long.BYTES] = '_';
        head[PUT_HEAD_BYTES] = 't';
    }

    int value() {
        return (int) crc.getValue();
    }

    void add(StoredRecord change) {
        boolean tombstone = change.type() == RecordType.TOMBSTONE;
        headNumbers.putLong(0, change.revision());
        headNumbers.putLong(Long.BYTES + 1, change.sub());
        crc.update(head, 0, tombstone ? TOMBSTONE_HEAD_BYTES : PUT_HEAD_BYTES);
        long start = change.bodyOffset();
        long keyEnd = change.keyOffset() + change.keyLength();
        if (tombstone) {
            addBytes(change.memory(), start, keyEnd);
            return;
        }
        long valueStart = start + change.prefixLength();
        long leaseStart = leaseStart(change.memory(), keyEnd, valueStart);
        addBytes(change.memory(), start, leaseStart);
        addBytes(change.memory(), valueStart, start + change.bodyLength());
        addBytes(change.memory(), leaseStart, valueStart);
    }

    /** Where the lease, the last number before the value, stands; the value's start if there is none. */
    private static long leaseStart(MemorySegment memory, long numbersStart, long valueStart) {
        long at = numbersStart;
        while (at < valueStart && memory.get(ValueLayout.JAVA_BYTE, at) != TAG_LEASE) {
            at += 1 + Varint.size(Varint.read(memory, at + 1));
        }
        return at;
    }

    private void addBytes(MemorySegment memory, long start, long end) {
        for (long at = start; at < end; ) {
            int length = (int) Math.min(COPY_BYTES, end - at);
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, copy, 0, length);
            crc.update(copy, 0, length);
            at += length;
        }
    }
}
