/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import dev.nightjar.ctl.client.CtlException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class RawTextTest {

    private static final long SEED = Long.getLong("nightjar.seed", System.nanoTime());

    @Test
    void anyByteSurvives() {
        for (int value = 0; value < 256; value++) {
            ByteString bytes = KeyRangeTest.bytes(value);

            assertThat(RawText.bytes(RawText.of(bytes))).isEqualTo(bytes);
            assertThat(RawText.bytes(Character.toString(RawText.raw(value)))).isEqualTo(bytes);
        }
    }

    @RepeatedTest(200)
    void anyBytesSurvive(RepetitionInfo repetition) {
        long seed = SEED + repetition.getCurrentRepetition();
        Random random = new Random(seed);
        byte[] letters = "aé€🐦".getBytes(StandardCharsets.UTF_8);
        byte[] bytes = new byte[random.nextInt(40)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = random.nextBoolean() ? letters[random.nextInt(letters.length)] : (byte) random.nextInt();
        }
        ByteString original = ByteString.copyFrom(bytes);

        assertThat(RawText.bytes(RawText.of(original)))
                .as("replay with -Dnightjar.seed=%d", SEED)
                .isEqualTo(original);
    }

    @Test
    void charactersOutsideTheBasicPlaneStay() {
        assertThat(RawText.bytes("🐦x")).isEqualTo(ByteString.copyFromUtf8("🐦x"));
    }

    @Test
    void bytesByNumberMakeCharactersTogether() {
        assertThat(RawText.bytes(Unquoted.of("\"\\xc3\\xa9 \\303\\251 \\u00e9\"")))
                .isEqualTo(ByteString.copyFromUtf8("é é é"));
    }

    @Test
    void escapesThatAreNoneAreRefused() {
        for (String text : new String[] {"\\q", "\\x4", "\\xzz", "\\400", "\\ud800", "\\U00110000", "\\u12", "\\'"}) {
            assertThatExceptionOfType(CtlException.class)
                    .isThrownBy(() -> Unquoted.of("\"" + text + "\""))
                    .withMessageContaining(text);
        }
    }

    @Test
    void wordsKeepQuotesInsideThem() {
        assertThat(Words.split("  a\"b  'c d' \"e \\\" f\"  g'h ")).containsExactly("a\"b", "c d", "e \" f", "g'h");
        assertThat(Words.split("")).isEmpty();
    }

    @Test
    void aQuoteThatIsNotClosedIsRefused() {
        assertThatExceptionOfType(CtlException.class).isThrownBy(() -> Words.split("put 'a"));
        assertThatExceptionOfType(CtlException.class).isThrownBy(() -> Words.split("put \"a\\\""));
    }

    @Test
    void linesEndAtLineEndsOnlyAndMayHoldAnyByte() {
        InputLines lines =
                new InputLines(new ByteArrayInputStream(new byte[] {'a', (byte) 0xff, '\r', '\n', '\n', 'b'}));

        assertThat(lines.next()).isEqualTo("a\udcff\r");
        assertThat(lines.next()).isEmpty();
        assertThat(lines.next()).as("a last line without an end").isNull();
    }

    @Test
    void aLineLongerThanTheLimitIsRefused() {
        InputLines endless = new InputLines(new InputStream() {
            @Override
            public int read() {
                return 'a';
            }

            @Override
            public int read(byte[] bytes, int offset, int length) {
                Arrays.fill(bytes, offset, offset + length, (byte) 'a');
                return length;
            }
        });

        assertThatExceptionOfType(CtlException.class)
                .isThrownBy(endless::next)
                .withMessageContaining(Integer.toString(InputLines.LINE_LIMIT_BYTES));
    }

    @Test
    void inputThatCannotBeReadEndsTheCommand() {
        InputLines broken = new InputLines(new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("no such device");
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                throw new IOException("no such device");
            }
        });

        assertThatExceptionOfType(CtlException.class).isThrownBy(broken::next).withMessageContaining("no such device");
    }
}
