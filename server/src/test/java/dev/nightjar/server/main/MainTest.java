/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.main;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.server.config.Version;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainTest {
    private static final String JSON_LINE =
            "\\{\"level\":\"[a-z]+\",\"ts\":\"[^\"]+\",\"caller\":\"[^\"]+\",\"msg\":\"[^\"]*\".*}";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path directory;

    @Test
    void the_version_is_etcds_first_and_ours_last() {
        assertThat(run("--version")).isZero();

        assertThat(text(out).lines()).first().isEqualTo("etcd Version: 3.7.3");
        assertThat(text(out).lines()).last().isEqualTo("Nightjar Version: " + Version.NIGHTJAR);
        assertThat(text(err)).isEmpty();
    }

    @Test
    void help_is_usage_on_stderr_and_flags_on_stdout() {
        assertThat(run("-h")).isZero();

        assertThat(text(err)).startsWith("Usage:");
        assertThat(text(out)).contains("--listen-client-urls 'http://localhost:2379'");
    }

    @Test
    void an_unknown_flag_ends_with_two_and_usage() {
        assertThat(run("--nope")).isEqualTo(2);

        assertThat(text(err))
                .startsWith("flag provided but not defined: -nope\n")
                .contains("Usage:");
        assertThat(text(out)).isEmpty();
    }

    @Test
    void a_process_tells_its_life_in_json_and_dies_by_the_signal() throws Exception {
        Process process = start(List.of("--data-dir=" + directory));
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            String line = reader.readLine();
            while (line != null) {
                lines.add(line);
                if (line.contains("serving client traffic insecurely")) {
                    process.toHandle().destroy(); // other than Process.destroy, it leaves the stream open
                }
                line = reader.readLine();
            }
        }

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(143);
        assertThat(lines).allMatch(line -> line.matches(JSON_LINE));
        assertThat(String.join("\n", lines))
                .contains("a line through java.util.logging")
                .contains("\"msg\":\"ready to serve client requests\"")
                .contains("\"msg\":\"received signal; shutting down\",\"signal\":\"terminated\"")
                .contains("\"msg\":\"closed etcd server\"");
    }

    @Test
    void a_process_with_settings_that_cannot_be_used_ends_with_one() throws Exception {
        Process process = start(List.of("--heartbeat-interval=0"));
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(said.lines())
                .singleElement()
                .asString()
                .matches(JSON_LINE)
                .contains(
                        "\"level\":\"warn\"",
                        "\"msg\":\"failed to verify flags\",\"error\":\"--heartbeat-interval must be >0 (set to 0ms)\"");
    }

    @Test
    void a_log_that_cannot_be_opened_ends_with_one() throws Exception {
        Process process = start(List.of("--log-outputs=" + directory.resolve("no/such/file")));
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(said).startsWith("cannot open the log: ");
    }

    @Test
    void log_lines_can_go_to_a_file() throws Exception {
        Path file = directory.resolve("log");
        Process process = start(List.of("--election-timeout=1", "--log-outputs=" + file));
        process.getInputStream().readAllBytes();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(file).doesNotExist(); // settings that cannot be used are told on stderr

        process = start(List.of("--data-dir=" + directory, "--initial-cluster=b=http://h:1", "--log-outputs=" + file));
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(said).isEmpty();
        assertThat(Files.readString(file)).contains("\"level\":\"fatal\"", "couldn't find local name");
    }

    private int run(String... arguments) {
        Main main = new Main(
                (_, _) -> {
                    throw new AssertionError("not to be started");
                },
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return main.run(List.of(arguments), Map.of());
    }

    /** A JVM of its own with a server that does nothing, stdout and stderr in one stream. */
    private static Process start(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                IdleServer.class.getName()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectInput(new File("/dev/null"));
        builder.environment().keySet().removeIf(name -> name.startsWith("ETCD_") || name.startsWith("NIGHTJAR_"));
        return builder.start();
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
