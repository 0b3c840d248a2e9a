/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.mvcc.KvView;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.WriteTxn;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PieceSizeTest {
    private static final byte[] ALL = {0};

    @TempDir
    Path directory;

    private final PieceSize size = new PieceSize(10_000);

    /** How many keys with values of these sizes one piece takes. */
    private int take(boolean keysOnly, int... valueBytes) throws IOException {
        SegmentLog.Options options =
                new SegmentLog.Options(FileSystem.real(), directory, SegmentLog.SEGMENT_BYTES, 1, Runnable::run);
        try (MvccStore store = MvccStore.open(SegmentLog.open(options))) {
            WriteTxn txn = store.begin();
            for (int i = 0; i < valueBytes.length; i++) {
                txn.put(new byte[] {1, (byte) i}, ByteBuffer.allocate(valueBytes[i]), 0);
            }
            txn.end();
            store.commit(1, 1);
            store.publish();
            List<KvView> kvs = store.range(RangeQuery.range(ALL, ALL)).kvs();
            return size.take(kvs, keysOnly);
        }
    }

    @Test
    void large_values_after_small_ones_end_the_piece() throws IOException {
        assertThat(take(false, 10, 10, 9_000, 9_000, 9_000)).isEqualTo(4);
    }

    @Test
    void a_value_that_is_larger_than_a_piece_is_one_by_itself() throws IOException {
        assertThat(take(false, 50_000, 10)).isEqualTo(1);
    }

    @Test
    void values_that_are_not_sent_do_not_count() throws IOException {
        assertThat(take(true, 50_000, 50_000, 50_000)).isEqualTo(3);
    }

    @Test
    void nothing_read_makes_an_empty_piece() {
        assertThat(size.take(List.of(), false)).isZero();
    }

    @Test
    void the_number_of_keys_doubles_up_to_its_bound_while_pieces_stay_small() {
        int keys = PieceSize.FIRST_KEYS;
        for (int i = 0; i < 100; i++) {
            assertThat(size.nextKeys(keys, keys, 4_999)).isGreaterThanOrEqualTo(keys);
            keys = size.nextKeys(keys, keys, 4_999);
        }
        assertThat(keys).isEqualTo(PieceSize.MAX_KEYS);
    }

    @Test
    void pieces_of_the_right_size_keep_the_number_and_one_that_was_cut_lowers_it() {
        assertThat(size.nextKeys(80, 80, 5_000)).isEqualTo(80);
        assertThat(size.nextKeys(80, 3, 12_000)).isEqualTo(3);
    }
}
