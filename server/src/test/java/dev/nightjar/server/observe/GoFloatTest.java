/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoFloatTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0.0, 0",
        "1, 1",
        "-17, -17",
        "53248, 53248",
        "999999, 999999",
        "1000000, 1e+06",
        "-1234567, -1.234567e+06",
        "2147483648, 2.147483648e+09",
        "4294967295, 4.294967295e+09",
        "18446744073709551615, 1.8446744073709552e+19",
        "0.001, 0.001",
        "0.0001, 0.0001",
        "0.00001, 1e-05",
        "0.0015, 0.0015",
        "1.024, 1.024",
        "104.8576, 104.8576",
        "123456.5, 123456.5",
        "1764500000.25, 1.76450000025e+09",
        "1e100, 1e+100",
    })
    void a_number_is_written_as_go_does(double number, String text) {
        StringBuilder out = new StringBuilder();
        GoFloat.append(out, number);
        assertThat(out).hasToString(text);
    }

    @Test
    void what_is_no_number_has_a_name() {
        StringBuilder out = new StringBuilder();
        GoFloat.append(out, Double.NaN);
        GoFloat.append(out, Double.POSITIVE_INFINITY);
        GoFloat.append(out, Double.NEGATIVE_INFINITY);
        assertThat(out).hasToString("NaN+Inf-Inf");
    }
}
