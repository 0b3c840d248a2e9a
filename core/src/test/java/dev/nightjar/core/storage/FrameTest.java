/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FrameTest {

    @Test
    void recordsAreEncodedAsProtobufWithTheValueLast() {
        Frame frame = new Frame();
        frame.reset(1L << 32);
        RecordFields fields = new RecordFields();
        fields.revision = 300;
        fields.sub = 7;
        fields.previousRevision = 200;
        fields.previousPlace = 12345;
        fields.createRevision = 2;
        fields.version = 4;
        fields.lease = -1;
        long place = frame.nextPlace();
        ByteBuffer value = ByteBuffer.wrap("xvaluex".getBytes(UTF_8), 1, 5);
        frame.put(fields, "key".getBytes(UTF_8), value);
        assertThat(value.remaining()).isEqualTo(5);
        StoredRecord record = frame.read(place);
        assertThat(record.type()).isEqualTo(RecordType.PUT);
        assertThat(record.revision()).isEqualTo(300);
        assertThat(record.sub()).isEqualTo(7);
        assertThat(record.previousRevision()).isEqualTo(200);
        assertThat(record.previousPlace()).isEqualTo(12345);
        assertThat(record.key()).isEqualTo("key".getBytes(UTF_8));
        assertThat(frame.body(place)).isEqualTo(record.body());
        // key, create_revision, mod_revision, version, lease, value
        assertThat(record.body()).isEqualTo(new byte[] {
            0x0a,
            3,
            'k',
            'e',
            'y',
            0x10,
            2,
            0x18,
            (byte) 0xac,
            2,
            0x20,
            4,
            0x30,
            -1,
            -1,
            -1,
            -1,
            -1,
            -1,
            -1,
            -1,
            -1,
            1,
            0x2a,
            5,
            'v',
            'a',
            'l',
            'u',
            'e'
        });
        assertThat(record.prefixLength()).isEqualTo(23);

        long tombstone = frame.nextPlace();
        fields.lease = 0;
        frame.tombstone(fields, "key".getBytes(UTF_8));
        assertThat(frame.read(tombstone).type()).isEqualTo(RecordType.TOMBSTONE);
        assertThat(frame.body(tombstone)).isEqualTo(new byte[] {0x0a, 3, 'k', 'e', 'y', 0x18, (byte) 0xac, 2});
    }

    @Test
    void bufferOfALargeBatchIsGivenBack() {
        Frame frame = new Frame();
        frame.reset(1L << 32);
        LogSteps.put(frame, 2, "a", "x".repeat(Frame.RETAINED_BYTES));
        LogSteps.put(frame, 3, "b", "small");
        assertThat(frame.capacity()).isGreaterThan(Frame.RETAINED_BYTES);
        frame.reset(1L << 32);
        assertThat(frame.capacity()).isLessThanOrEqualTo(Frame.RETAINED_BYTES);
    }

    @Test
    void batchBeyondTheLimitIsRefused() {
        Frame frame = new Frame(2 << 20);
        frame.reset(1L << 32);
        LogSteps.put(frame, 2, "a", "x".repeat(1 << 20));
        assertThatThrownBy(() -> LogSteps.put(frame, 3, "b", "x".repeat(1 << 20)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("more than 2097152 bytes");
    }

    @Test
    void numbersOfAllLengths() {
        ByteBuffer buffer = ByteBuffer.allocate(16);
        for (int bits = 0; bits < Long.SIZE; bits++) {
            for (long value : new long[] {1L << bits, (1L << bits) - 1, -1L << bits}) {
                int end = Varint.write(buffer, 3, value);
                assertThat(end - 3).isEqualTo(Varint.size(value));
                assertThat(Varint.read(MemorySegment.ofBuffer(buffer), 3)).isEqualTo(value);
            }
        }
        byte[] endless = new byte[16];
        Arrays.fill(endless, (byte) 0x80);
        assertThatThrownBy(() -> Varint.read(MemorySegment.ofArray(endless), 0))
                .isInstanceOf(IllegalStateException.class);
    }
}
