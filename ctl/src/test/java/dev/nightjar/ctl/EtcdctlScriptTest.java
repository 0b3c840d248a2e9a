/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.ctl.Script.Exchange;
import dev.nightjar.ctl.ScriptPlayer.Outcome;
import dev.nightjar.ctl.ScriptPlayer.Result;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * Plays every script with etcd's own client, to prove that the scripts say what it does. Not part of a build:
 * runs with {@code -Dnightjar.excludedTags=none -Dtest=EtcdctlScriptTest}, and {@code -Dnightjar.etcdctl} names an etcdctl 3.7; with {@code -Dnightjar.etcdctl.record=true} it writes what that does into the scripts.
 */
@Tag("etcdctl")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EtcdctlScriptTest {

    private static final long LIMIT_SECONDS = 60;
    private static final Pattern LOG_LINE = Pattern.compile("(?m)^\\{\"level\":.*\\n");
    private static final Pattern TIME = Pattern.compile("\\b\\d+(\\.\\d+)?(µs|ms)");

    private final ScriptPlayer player;
    private final String etcdctl = System.getProperty("nightjar.etcdctl", "");

    EtcdctlScriptTest() throws IOException {
        player = new ScriptPlayer();
    }

    @AfterAll
    void close() throws IOException {
        player.close();
    }

    @TestFactory
    Stream<DynamicContainer> everyScriptIsTrueOfEtcdctl() {
        return ScriptFiles.all().stream().map(this::container);
    }

    private DynamicContainer container(Path file) {
        List<Script> scripts = Script.read(file);
        List<DynamicTest> tests = new ArrayList<>();
        for (Script script : scripts) {
            if (script.differs.isEmpty()) {
                tests.add(DynamicTest.dynamicTest(script.title, () -> check(script)));
            }
        }
        if (Boolean.getBoolean("nightjar.etcdctl.record")) {
            tests.add(DynamicTest.dynamicTest("record", () -> Script.write(file, scripts)));
        }
        return DynamicContainer.dynamicContainer(file.getFileName().toString(), tests);
    }

    private void check(Script script) throws Exception {
        Outcome outcome = usual(player.play(script, this::run));
        if (Boolean.getBoolean("nightjar.etcdctl.record")) {
            record(script, outcome);
            return;
        }

        assertThat(outcome).isEqualTo(ScriptPlayer.expected(script));
    }

    private static void record(Script script, Outcome outcome) {
        for (int i = 0; i < outcome.requests().size(); i++) {
            String request = outcome.requests().get(i);
            boolean second = request.startsWith(">2 ");
            String words = request.substring(second ? 3 : 2);
            if (i < script.exchanges.size()) {
                script.exchanges.get(i).request = words;
            } else {
                script.exchanges.add(new Exchange(second ? 2 : 1, words));
            }
        }
        script.output.setLength(0);
        script.output.append(outcome.output());
        script.error.setLength(0);
        script.error.append(outcome.error());
        script.exit = outcome.exit();
    }

    private Result run(Script script, List<String> words, byte[] input) throws Exception {
        List<String> command = new ArrayList<>(words);
        command.addFirst(etcdctl);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("ETCDCTL_"));
        script.environment.forEach((name, value) -> builder.environment().put(name, player.real(value)));
        Process process = builder.start();
        try {
            CompletableFuture<byte[]> output = CompletableFuture.supplyAsync(() -> read(process.getInputStream()));
            CompletableFuture<byte[]> error = CompletableFuture.supplyAsync(() -> read(process.getErrorStream()));
            process.getOutputStream().write(input);
            process.getOutputStream().close();
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
                    .as("ends in time")
                    .isTrue();
            return new Result(output.get(), error.get(), process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }

    /** Without what differs from run to run: log lines of the library, and times. */
    private static Outcome usual(Outcome outcome) {
        return new Outcome(outcome.requests(), usual(outcome.output()), usual(outcome.error()), outcome.exit());
    }

    private static String usual(String text) {
        return TIME.matcher(LOG_LINE.matcher(text).replaceAll("")).replaceAll("1.234567ms");
    }

    private static byte[] read(InputStream in) {
        try (in) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
