/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

class KeyRangeTest {

    private static final ByteString ZERO = bytes(0);

    @Test
    void aPrefixEndsWhereItsLastByteIsOneHigher() {
        assertThat(KeyRange.prefix("ab").end()).isEqualTo(bytes('a', 'c'));
    }

    @Test
    void highBytesAtTheEndOfAPrefixAreCutOff() {
        String prefix = RawText.of(bytes('a', 0xfe, 0xff, 0xff));

        assertThat(KeyRange.prefix(prefix)).isEqualTo(new KeyRange(bytes('a', 0xfe, 0xff, 0xff), bytes('a', 0xff)));
    }

    @Test
    void aPrefixOfHighBytesOnlyHasNoEnd() {
        assertThat(KeyRange.prefix(RawText.of(bytes(0xff, 0xff)))).isEqualTo(new KeyRange(bytes(0xff, 0xff), ZERO));
    }

    @Test
    void theEmptyPrefixIsEveryKey() {
        assertThat(KeyRange.prefix("")).isEqualTo(new KeyRange(ZERO, ZERO));
        assertThat(KeyRange.from("")).isEqualTo(new KeyRange(ZERO, ZERO));
    }

    static ByteString bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return ByteString.copyFrom(bytes);
    }
}
