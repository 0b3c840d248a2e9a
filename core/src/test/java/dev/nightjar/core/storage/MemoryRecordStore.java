/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The plainest record store there is: frames in a sorted map. Survives {@link #close}, so that it can be opened again. */
public final class MemoryRecordStore implements RecordStore {

    private static final long FIRST_PLACE = 1L << Integer.SIZE;

    private final Frame frame = new Frame();
    /** Frames by place; records are read out of their copies. */
    private final TreeMap<Long, byte[]> frames = new TreeMap<>();

    private FrameInfo last = FrameInfo.FRESH;
    private long end = FIRST_PLACE;

    @Override
    public Snapshot snapshot() {
        return new Snapshot() {
            @Override
            public StoredRecord read(long place) {
                return MemoryRecordStore.this.read(place);
            }

            @Override
            public long scan(long from, long to, Predicate<StoredRecord> visitor) {
                return MemoryRecordStore.this.scan(from, to, visitor);
            }

            @Override
            public Cursor cursor(long from, long to) {
                List<StoredRecord> found = new ArrayList<>();
                long reached = MemoryRecordStore.this.scan(from, to, found::add);
                assertThat(reached).isEqualTo(to + 1);
                Iterator<StoredRecord> each = found.iterator();
                return () -> each.hasNext() ? each.next() : null;
            }
        };
    }

    @Override
    public long release(long place) {
        return read(place).totalBytes();
    }

    @Override
    public boolean packStep(Owner owner) {
        return false;
    }

    private synchronized StoredRecord read(long place) {
        var entry = frames.floorEntry(place);
        if (entry == null || place >= entry.getKey() + entry.getValue().length) {
            throw new IllegalStateException("no record at " + place);
        }
        return new StoredRecord(MemorySegment.ofArray(entry.getValue()), place - entry.getKey());
    }

    @Override
    public synchronized FrameInfo last() {
        return last;
    }

    private synchronized long scan(long from, long to, Predicate<StoredRecord> visitor) {
        long[] stopped = {to + 1};
        boolean[] stop = {false};
        replay((place, record) -> {
            if (!stop[0] && record.type().isChange() && record.revision() >= from && record.revision() <= to) {
                if (!visitor.test(record)) {
                    stop[0] = true;
                    stopped[0] = record.revision();
                }
            }
        });
        return stopped[0];
    }

    @Override
    public synchronized long sizeBytes() {
        return end - FIRST_PLACE;
    }

    @Override
    public synchronized long sync() {
        return last.appliedIndex();
    }

    @Override
    public synchronized void replay(Replay visitor) {
        frames.forEach((place, bytes) -> {
            int at = FrameFormat.HEADER_BYTES;
            while (at < bytes.length) {
                StoredRecord record = new StoredRecord(MemorySegment.ofArray(bytes), at);
                visitor.record(place + at, record);
                at += record.totalBytes();
            }
        });
    }

    @Override
    public Frame begin() {
        frame.reset(end);
        return frame;
    }

    @Override
    public synchronized void append(Frame written, FrameInfo info) {
        ByteBuffer bytes = written.seal(info, 0, 0);
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        frames.put(end, copy);
        end += copy.length;
        last = info;
    }

    @Override
    public long changeBytesInUse() {
        long[] bytes = {0};
        replay((place, record) -> bytes[0] += record.type().isChange() ? record.totalBytes() : 0);
        return bytes[0];
    }

    @Override
    public void cut() {}

    @Override
    public void checkpoint(Path directory) {
        throw new UnsupportedOperationException("there are no files");
    }

    @Override
    public boolean isImageDue() {
        return false;
    }

    @Override
    public long bytesBehindImage() {
        return 0;
    }

    @Override
    public boolean isPacking() {
        return false;
    }

    @Override
    public void settle(Owner owner) {}

    @Override
    public ImageWriter beginImage(long forgottenRevision) {
        throw new UnsupportedOperationException("there are no files");
    }

    @Override
    public @Nullable ImageReader image() {
        return null;
    }

    @Override
    public void rejectImage(CorruptStoreException cause) {
        throw new IllegalStateException("there is no image");
    }

    @Override
    public void close() {}
}
