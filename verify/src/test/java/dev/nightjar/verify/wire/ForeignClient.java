/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A client program in another language: built once for each state of its files, in a folder under {@code target}, then
 * run. Used by one thread.
 *
 * @param folder its name under {@code verify/clients}
 * @param tool the program that must be on the path to build and run it
 * @param buildCommands commands that build it, run in the built folder, one after the other
 * @param runCommand the command that runs it, there
 */
record ForeignClient(String folder, String tool, List<List<String>> buildCommands, List<String> runCommand) {

    /** A first build downloads and compiles; on a busy machine that takes minutes. */
    private static final Duration BUILD_TIMEOUT = Duration.ofMinutes(8);

    private static final Duration RUN_TIMEOUT = Duration.ofMinutes(3);

    static final ForeignClient GO = new ForeignClient(
            "wire-go", "go", List.of(List.of("go", "build", "-o", "client", ".")), List.of("./client"));

    static final ForeignClient NODE = new ForeignClient(
            "wire-node", "npm", List.of(List.of("npm", "ci", "--ignore-scripts")), List.of("node", "main.mjs"));

    static final ForeignClient PYTHON = new ForeignClient(
            "wire-python",
            "python3",
            List.of(
                    List.of("python3", "-m", "venv", "venv"),
                    List.of("venv/bin/pip", "install", "--no-deps", "-r", "requirements.txt")),
            List.of("venv/bin/python", "main.py"));

    /** Runs the program and returns the lines it printed. */
    List<String> run(String target) throws IOException, InterruptedException {
        Path built = build();
        List<String> command = new ArrayList<>(runCommand);
        command.add(target);
        return execute(built, command, RUN_TIMEOUT).lines();
    }

    private Path build() throws IOException, InterruptedException {
        if (!isOnPath(tool)) {
            fail(
                    "The gRPC client %s needs the program \"%s\", which is not on this machine's path: install it.",
                    folder, tool);
        }
        Path source = Path.of("clients", folder);
        List<Path> files;
        try (Stream<Path> all = Files.list(source)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        Path built = Path.of("target", "clients", folder + "-" + digest(files)).toAbsolutePath();
        Path done = built.resolve("built");
        if (Files.exists(done)) {
            return built;
        }
        Files.createDirectories(built);
        for (Path file : files) {
            Files.copy(file, built.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
        for (List<String> command : buildCommands) {
            Output output = execute(built, command, BUILD_TIMEOUT);
            assertThat(output.exitCode())
                    .as("%s in %s printed%n%s", command, built, String.join("\n", output.lines()))
                    .isZero();
        }
        Files.createFile(done);
        return built;
    }

    private record Output(int exitCode, List<String> lines) {}

    private static Output execute(Path directory, List<String> command, Duration timeout)
            throws IOException, InterruptedException {
        Path log = Files.createTempFile(directory, "output", ".log");
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = process.waitFor(timeout.toSeconds(), TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly().waitFor();
        }
        List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
        Files.delete(log);
        assertThat(ended)
                .as("%s ended within %s; it printed %s", command, timeout, lines)
                .isTrue();
        return new Output(process.exitValue(), lines);
    }

    private static boolean isOnPath(String program) {
        String path = System.getenv("PATH");
        return path != null
                && Stream.of(path.split(File.pathSeparator, -1))
                        .map(folder -> Path.of(folder, program))
                        .anyMatch(Files::isExecutable);
    }

    private static String digest(List<Path> files) throws IOException {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            for (Path file : files) {
                digest.update(file.getFileName().toString().getBytes(StandardCharsets.UTF_8));
                digest.update(Files.readAllBytes(file));
            }
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
