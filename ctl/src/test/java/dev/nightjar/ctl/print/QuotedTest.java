/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

class QuotedTest {

    @Test
    void bytesThatEndInTheMiddleOfACharacterAreEscaped() {
        assertThat(Quoted.of(bytes(0xe2, 0x82))).isEqualTo("\"\\xe2\\x82\"");
        assertThat(Quoted.of(bytes(0xf0, 0x9f, 0x90, 0xa6, 0xf0))).isEqualTo("\"🐦\\xf0\"");
    }

    @Test
    void bytesThatNeverBeginACharacterAreEscaped() {
        assertThat(Quoted.of(bytes(0x80, 'a', 0xff, 0xc0, 0xaf))).isEqualTo("\"\\x80a\\xff\\xc0\\xaf\"");
    }

    @Test
    void charactersThatCannotBeSeenAreEscapedByNumber() {
        assertThat(Quoted.of("\u00ad\u2028\ue000")).isEqualTo("\"\\u00ad\\u2028\\ue000\"");
        assertThat(Quoted.of(new String(Character.toChars(0xe0001)))).isEqualTo("\"\\U000e0001\"");
    }

    private static ByteString bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return ByteString.copyFrom(bytes);
    }
}
