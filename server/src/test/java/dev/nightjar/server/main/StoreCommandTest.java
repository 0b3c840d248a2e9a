/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.main;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.nightjar.consensus.LogObserver;
import dev.nightjar.consensus.log.DiskFiles;
import dev.nightjar.consensus.log.LogOptions;
import dev.nightjar.consensus.log.SegmentedLog;
import dev.nightjar.server.Nightjar;
import dev.nightjar.server.config.ServerConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

class StoreCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Path data = Path.of("");

    @TempDir
    Path directory;

    @BeforeEach
    void chooseData() {
        data = directory.resolve("data");
    }

    /** The command makes the process's log quiet; other tests want to read it. */
    @AfterEach
    void giveBackTheLog() {
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.DEBUG);
    }

    private Nightjar start() throws Exception {
        return Nightjar.start(ServerConfig.of(Map.of(
                "data-dir", data.toString(),
                "listen-client-urls", "http://127.0.0.1:0",
                "advertise-client-urls", "http://127.0.0.1:0",
                "listen-peer-urls", "http://127.0.0.1:0")));
    }

    private static void removeAll(Path top) throws IOException {
        try (Stream<Path> inside = Files.walk(top)) {
            for (Path path : inside.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static void copyAll(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }

    private int run(Map<String, String> environment, String... arguments) {
        out.reset();
        err.reset();
        Main main = new Main(
                (_, _) -> {
                    throw new AssertionError("not to be started");
                },
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return main.run(List.of(arguments), environment);
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void help_goes_to_stdout() {
        assertThat(run(Map.of(), "store", "--help")).isZero();
        assertThat(text(out)).contains("nightjar store verify", "nightjar store stat");
        assertThat(text(err)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "store | a command is missing",
                "store frob | unknown command \"frob\"",
                "store stat stat | one command at a time",
                "store stat --nope | unknown flag: --nope",
                "store stat --data-dir | flag needs an argument: --data-dir",
                "store stat -w table | unknown form of output \"table\"",
                "store verify -w json | verify prints text only"
            })
    void a_command_line_that_cannot_be_read_ends_with_two_and_usage(String line, String words) {
        assertThat(run(Map.of(), line.split(" "))).isEqualTo(2);
        assertThat(text(err)).startsWith("nightjar store: " + words).contains("Usage:");
        assertThat(text(out)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"verify", "stat"})
    void a_directory_that_is_not_there_or_not_a_members_is_refused_and_left_alone(String command) throws IOException {
        assertThat(run(Map.of(), "store", command, "--data-dir=" + data)).isEqualTo(1);
        assertThat(text(err)).contains("there is no data directory " + data);
        assertThat(data).doesNotExist();

        Files.createDirectory(data);
        assertThat(run(Map.of(), "store", command, "--data-dir", data.toString()))
                .isEqualTo(1);
        assertThat(text(err)).contains("no server has ever written");
        assertThat(data).isEmptyDirectory();

        Files.writeString(data.resolve("letter"), "private");
        assertThat(run(Map.of("ETCD_DATA_DIR", data.toString()), "store", command))
                .isEqualTo(1);
        assertThat(text(err)).contains("not Nightjar's");
    }

    @ParameterizedTest
    @CsvSource({"verify", "stat"})
    void a_directory_that_a_server_has_is_refused(String command) throws Exception {
        try (Nightjar _ = start()) {
            assertThat(run(Map.of(), "store", command, "--data-dir=" + data)).isEqualTo(1);
            assertThat(text(err)).contains("is used by another process: stop the server first");
        }
        assertThat(run(Map.of("NIGHTJAR_DATA_DIR", data.toString()), "store", command))
                .isZero();
    }

    @Test
    void a_fresh_members_files_are_whole_and_counted() throws Exception {
        start().close();

        assertThat(run(Map.of(), "store", "verify", "--data-dir=" + data)).isZero();
        assertThat(text(out).lines()).first().asString().startsWith("format: member ");
        assertThat(text(out).lines()).last().isEqualTo("ok");

        assertThat(run(Map.of(), "store", "stat", "--data-dir=" + data)).isZero();
        assertThat(text(out).lines()).first().isEqualTo("keys                0");
        assertThat(text(out).lines()).contains("compacted revision  -", "snapshots           0");

        assertThat(run(Map.of(), "store", "stat", "-w", "json", "--data-dir=" + data))
                .isZero();
        assertThat(text(out))
                .contains("\"logBytes\":")
                .startsWith("{\"keys\":0,\"revision\":1,\"compactedRevision\":null,\"appliedIndex\":")
                .containsPattern("\"liveShare\":[01]\\.\\d{4},\"rows\":\\d+,\"imageRevision\":null")
                .endsWith(",\"snapshots\":0}\n");
    }

    @Test
    void a_copy_without_its_consensus_log_is_damage() throws Exception {
        start().close();
        removeAll(data.resolve("wal"));

        assertThat(run(Map.of(), "store", "verify", "--data-dir=" + data)).isEqualTo(1);

        assertThat(text(out))
                .contains("DAMAGED: " + data.resolve("wal") + ", offset 0: missing, though the store holds");
        assertThat(text(out).lines()).last().isEqualTo("damaged: 1 place");
    }

    @Test
    void a_copy_whose_consensus_log_is_older_than_its_store_is_damage() throws Exception {
        start().close();
        Path wal = data.resolve("wal");
        Path older = directory.resolve("older");
        copyAll(wal, older);
        start().close();
        removeAll(wal);
        copyAll(older, wal);

        assertThat(run(Map.of(), "store", "verify", "--data-dir=" + data)).isEqualTo(1);

        assertThat(text(out))
                .containsPattern("DAMAGED: " + Pattern.quote(wal.toString())
                        + ", offset 0: entries are missing: it ends at entry \\d+, the newest snapshot at 0, "
                        + "but the store in "
                        + Pattern.quote(data.resolve("store").toString()) + " at \\d+");
        assertThat(text(out).lines()).last().isEqualTo("damaged: 1 place");
    }

    @Test
    void a_copy_without_the_snapshots_that_its_log_follows_is_damage() throws Exception {
        start().close();
        try (SegmentedLog log = SegmentedLog.open(
                DiskFiles.at(data.resolve("wal")),
                new LogOptions(4096, false, System::nanoTime, LogObserver.NONE, Runnable::run),
                entry -> {})) {
            log.truncatePrefix(2);
        }

        assertThat(run(Map.of(), "store", "verify", "--data-dir=" + data)).isEqualTo(1);

        assertThat(text(out))
                .contains("DAMAGED: " + data.resolve("snap")
                        + ", offset 0: the log begins with entry 2, but " + data.resolve("snap")
                        + " holds no snapshot of the entries before");
        assertThat(text(out).lines()).last().isEqualTo("damaged: 1 place");
    }

    @Test
    void a_missing_snapshot_list_is_damage() throws Exception {
        start().close();
        Files.createDirectories(data.resolve("snap/snapshot_3"));

        assertThat(run(Map.of(), "store", "verify", "--data-dir=" + data)).isEqualTo(1);

        assertThat(text(out)).contains("snapshots: 1", "the list of a snapshot's files is missing", "snapshot_3: ");
        assertThat(text(out).lines()).last().isEqualTo("damaged: 2 places");
    }

    @Test
    void an_older_snapshot_that_was_being_removed_is_no_damage() throws Exception {
        start().close();
        Files.createDirectories(data.resolve("snap/snapshot_2"));
        Files.createDirectories(data.resolve("snap/snapshot_3"));

        assertThat(run(Map.of(), "store", "verify", "--data-dir=" + data)).isEqualTo(1);

        assertThat(text(out)).contains("a start would cut off or remove: " + data.resolve("snap/snapshot_2"));
        assertThat(text(out).lines()).last().isEqualTo("damaged: 2 places"); // both of the newest
    }
}
