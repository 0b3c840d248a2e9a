/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs programs to their end; any thread. */
public final class Commands {
    /** How a program ended and what it printed. */
    public record Result(int exitCode, String output, String errors) {}

    private Commands() {}

    /** Runs a program that must succeed; returns what it printed on standard output. */
    public static String run(Path directory, Duration limit, List<String> command) {
        Result result = attempt(directory, limit, command, Map.of());
        if (result.exitCode() != 0) {
            throw new AssertionError("%s exited with %d%n%s%n%s"
                    .formatted(String.join(" ", command), result.exitCode(), result.output(), result.errors()));
        }
        return result.output();
    }

    /** Runs a program with variables added to the environment; fails only if it cannot be started or passes the limit. */
    public static Result attempt(
            Path directory, Duration limit, List<String> command, Map<String, String> environment) {
        try {
            Path output = Files.createTempFile("verify", ".out");
            Path errors = Files.createTempFile("verify", ".err");
            try {
                ProcessBuilder builder = new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                        .redirectOutput(output.toFile())
                        .redirectError(errors.toFile());
                builder.environment().keySet().removeIf(name -> name.startsWith("ETCDCTL_"));
                builder.environment().putAll(environment);
                Process process = start(builder);
                Leftovers.register(process);
                boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
                if (!ended) {
                    process.destroyForcibly().waitFor();
                    throw new AssertionError("%s did not end within %s%n%s%n%s"
                            .formatted(String.join(" ", command), limit, text(output), text(errors)));
                }
                return new Result(process.exitValue(), text(output), text(errors));
            } finally {
                Files.delete(output);
                Files.delete(errors);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while running " + command, e);
        }
    }

    private static Process start(ProcessBuilder builder) {
        try {
            return builder.start();
        } catch (IOException e) {
            throw new AssertionError(
                    "cannot run " + builder.command().getFirst()
                            + ": install it, or leave the tests that need it out (verify/README.md)",
                    e);
        }
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }
}
