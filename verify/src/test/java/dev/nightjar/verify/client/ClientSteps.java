/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.verify.driver.Commands;
import java.util.List;

/** What a client program reported: a line for each step, {@code ok NAME} or {@code FAIL NAME reason}; stateless. */
final class ClientSteps {
    private ClientSteps() {}

    /** The program must have done exactly these steps, all of them well. */
    static void assertAllOk(Commands.Result result, String... names) {
        List<String> expected =
                List.of(names).stream().map(name -> "ok " + name).toList();
        List<String> got = result.output().lines().toList();
        assertThat(got).as(() -> "standard error: " + result.errors()).isEqualTo(expected);
        assertThat(result.exitCode()).isZero();
    }
}
