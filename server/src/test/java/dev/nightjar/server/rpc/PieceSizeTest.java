/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PieceSizeTest {
    private final PieceSize size = new PieceSize(10_000);

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
