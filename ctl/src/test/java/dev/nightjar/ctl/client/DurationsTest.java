/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {

    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "5s, PT5S",
        "1.5s, PT1.5S",
        ".5s, PT0.5S",
        "1m30s, PT1M30S",
        "2h0.5m, PT2H30S",
        "250ms, PT0.25S",
        "7us, PT0.000007S",
        "7µs, PT0.000007S",
        "9ns, PT0.000000009S"
    })
    void readsEveryUnit(String text, Duration expected) {
        assertThat(Durations.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "s", "5x", "-5s", "1s ", "1.2.3s", "3000000h", "99999999999h"})
    void refusesWhatIsNoDuration(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Durations.parse(text));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "1, 1ns",
        "999, 999ns",
        "1000, 1µs",
        "1500, 1.5µs",
        "999999, 999.999µs",
        "1000000, 1ms",
        "1234567, 1.234567ms",
        "600712542, 600.712542ms",
        "1000000000, 1s",
        "5000100000, 5.0001s",
        "60000000000, 1m0s",
        "3661500000000, 1h1m1.5s",
        "36000000000000, 10h0m0s"
    })
    void writesTheLargestUnitThatFits(long nanos, String expected) {
        assertThat(Durations.format(nanos)).isEqualTo(expected);
    }
}
