/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import dev.nightjar.core.mvcc.Change;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FragmentsTest {
    private static EventBatch batch(int keyBytes, int events) {
        byte[] keyValue = new StoredValue(ByteString.copyFrom(new byte[keyBytes]), 0, 0, 0, ByteString.EMPTY).encode();
        Change[] changes = new Change[events];
        Arrays.fill(changes, new Change(1, false, new byte[keyBytes], keyValue, 0));
        return new EventBatch(changes, null, 0, events);
    }

    @ParameterizedTest
    @CsvSource({
        "100, 1, 9223372036854775807, 1",
        "10, 2, 50, 1",
        "1024, 1, 1, 1",
        "11, 5, 20, 5",
        "15, 5, 10, 5",
        "10, 4, 35, 2",
    })
    void a_response_without_header_is_split(int keyBytes, int events, long limitBytes, int parts) {
        assertThat(Fragments.split(batch(keyBytes, events), 0, limitBytes)).hasSize(parts);
    }

    @Test
    void parts_hold_all_events_in_order() {
        List<EventBatch> parts = Fragments.split(batch(10, 7), 0, 51);
        assertThat(parts.stream().map(EventBatch::size)).containsExactly(3, 3, 1);
    }

    @Test
    void a_response_of_exactly_the_limit_is_split_and_one_byte_less_is_not() {
        EventBatch batch = batch(10, 2);
        assertThat(batch.encodedBytes()).isEqualTo(32);
        assertThat(Fragments.split(batch, 10, 42)).hasSize(2);
        assertThat(Fragments.split(batch, 10, 43)).hasSize(1);
    }

    @Test
    void sizes_are_those_of_the_encoding() {
        for (long value : new long[] {0, 1, 127, 128, 16383, 16384, Integer.MAX_VALUE, Long.MAX_VALUE, -1}) {
            assertThat(ResponseSize.varint(value)).isEqualTo(CodedOutputStream.computeUInt64SizeNoTag(value));
        }
        assertThat(ResponseSize.base(20, 0)).isEqualTo(20);
        assertThat(ResponseSize.base(20, 300)).isEqualTo(20 + CodedOutputStream.computeInt64Size(2, 300));
        assertThat(ResponseSize.base(20, -5)).isEqualTo(20 + CodedOutputStream.computeInt64Size(2, -5));
        ByteString kv = ByteString.copyFrom(new byte[200]);
        ByteString previous = ByteString.copyFrom(new byte[100]);
        int content = CodedOutputStream.computeEnumSize(1, 1)
                + CodedOutputStream.computeBytesSize(2, kv)
                + CodedOutputStream.computeBytesSize(3, previous);
        assertThat(ResponseSize.event(true, 200, 100))
                .isEqualTo(CodedOutputStream.computeBytesSize(11, ByteString.copyFrom(new byte[content])));
        assertThat(ResponseSize.event(false, 200, -1)).isEqualTo(2 + 1 + 203);
    }
}
