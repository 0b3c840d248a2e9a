/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GoDurationTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "1, 1ns",
        "999, 999ns",
        "1000, 1µs",
        "1100, 1.1µs",
        "2200000, 2.2ms",
        "10000000, 10ms",
        "1000000123, 1.000000123s",
        "60000000000, 1m0s",
        "3300000000000, 55m0s",
        "5400000000000, 1h30m0s",
        "7200000000000, 2h0m0s",
        "245001000000, 4m5.001s",
        "-1500000000, -1.5s",
        "9223372036854775807, 2562047h47m16.854775807s",
        "-9223372036854775808, -2562047h47m16.854775808s",
    })
    void a_number_of_nanoseconds_is_written_as_go_does(long nanos, String text) {
        assertThat(GoDuration.format(nanos)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "5s, 5000000000",
        "300ms, 300000000",
        "1.5h, 5400000000000",
        "2h45m, 9900000000000",
        "+.5s, 500000000",
        "1.s, 1000000000",
        "-10us, -10000",
        "1µs, 1000",
        "1μs, 1000",
        "0.3333333333333333333h, 1200000000000",
        "0.000000000000000000000001h, 0",
        "9223372036.854775807s, 9223372036854775807",
        "-9223372036854775807ns, -9223372036854775807",
        "1h0.25m3.000000001s, 3618000000001",
    })
    void a_text_is_read_as_go_does(String text, long nanos) throws ConfigException {
        long tolerance = text.length() > 20 ? 1 : 0; // Go rounds thirds, too

        assertThat(GoDuration.parse(text).toNanos()).isBetween(nanos - tolerance, nanos);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "3",
                "-",
                "s",
                ".",
                "-.",
                ".s",
                "+.s",
                "1d",
                "1 s",
                "10000000h",
                "1e3s",
                "--1s",
                "9223372036854775808ns",
                "99999999999999999999ns",
                "2562047h48m"
            })
    void what_go_refuses_is_refused(String text) {
        assertThatThrownBy(() -> GoDuration.parse(text)).hasMessage("parse error");
    }

    @Test
    void what_is_written_reads_back() throws ConfigException {
        long seed = Long.getLong("nightjar.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            long nanos = random.nextLong() >> random.nextInt(64);
            if (nanos != Long.MIN_VALUE) {
                assertThat(GoDuration.parse(GoDuration.format(nanos)))
                        .as("-Dnightjar.seed=%d", seed)
                        .isEqualTo(Duration.ofNanos(nanos));
            }
        }
    }
}
