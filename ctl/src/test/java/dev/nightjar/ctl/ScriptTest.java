/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.ctl.ScriptPlayer.Outcome;
import dev.nightjar.ctl.ScriptPlayer.Result;
import dev.nightjar.ctl.command.Console;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** Plays every script with the client of this project, inside this process. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ScriptTest {

    /** How far the clock of a command goes each time it is read. */
    private static final long TICK_NANOS = 1_234_567;

    private final ScriptPlayer player;

    ScriptTest() throws IOException {
        player = new ScriptPlayer();
    }

    @AfterAll
    void close() throws IOException {
        player.close();
    }

    @BeforeAll
    void thereAreScripts() {
        assertThat(ScriptFiles.all()).isNotEmpty();
    }

    @TestFactory
    Stream<DynamicContainer> everyScriptPlays() {
        return ScriptFiles.all().stream()
                .map(file -> DynamicContainer.dynamicContainer(
                        file.getFileName().toString(),
                        Script.read(file).stream()
                                .map(script -> DynamicTest.dynamicTest(script.title, () -> check(script)))));
    }

    private void check(Script script) throws Exception {
        Outcome outcome = player.play(script, this::run);

        assertThat(outcome).isEqualTo(ScriptPlayer.expected(script));
    }

    private Result run(Script script, List<String> words, byte[] input) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        AtomicLong clock = new AtomicLong();
        Map<String, String> environment = new HashMap<>(script.environment);
        environment.replaceAll((name, value) -> player.real(value));
        Console console = new Console(
                environment,
                new ByteArrayInputStream(input),
                new PrintStream(out, false, StandardCharsets.UTF_8),
                new PrintStream(err, false, StandardCharsets.UTF_8),
                () -> clock.getAndAdd(TICK_NANOS),
                pause -> {});
        int exit = Ctl.run(words.toArray(String[]::new), console);
        return new Result(out.toByteArray(), err.toByteArray(), exit);
    }
}
