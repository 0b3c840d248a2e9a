/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.main;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.nightjar.server.config.ConfigException;
import dev.nightjar.server.config.ServerConfig;
import dev.nightjar.server.config.ServerUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class ServerProcessTest {
    @TempDir
    Path directory;

    private final Logger logger = (Logger) LoggerFactory.getLogger(ServerProcess.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final List<String> story = new ArrayList<>();
    private Consumer<Throwable> failure = cause -> {};

    @BeforeEach
    void listen() {
        lines.start();
        logger.setLevel(Level.INFO); // whatever the tests before have set
        logger.addAppender(lines);
        logger.setAdditive(false);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
        logger.setLevel(null);
        logger.setAdditive(true);
    }

    @Test
    void a_start_is_told_in_etcds_order() throws ConfigException {
        assertThat(process(Map.of(), this::serve).start(List.of("--name=a"))).isTrue();

        assertThat(messages())
                .containsExactly(
                        "Running: ",
                        "Running http and grpc server on single port. This is not recommended for production.",
                        "Initialize and start etcd server",
                        "configuring peer listeners",
                        "configuring client listeners",
                        "starting an etcd server",
                        "now serving peer/client/metrics",
                        "serving peer traffic",
                        "ready to serve client requests",
                        "serving client traffic insecurely; this is strongly discouraged!");
        assertThat(fields("Running: ")).containsEntry("args", List.of("nightjar", "--name=a"));
        assertThat(fields("starting an etcd server"))
                .containsEntry("etcd-version", "3.7.3")
                .containsEntry("name", "default")
                .containsEntry("snapshot-count", 10_000L)
                .containsEntry("initial-cluster", "default=http://localhost:2380");
        assertThat(fields("serving peer traffic")).containsEntry("address", "127.0.0.1:4712");
        assertThat(fields("serving client traffic insecurely; this is strongly discouraged!"))
                .containsEntry("traffic", "grpc+http")
                .containsEntry("address", "127.0.0.1:4711");
    }

    @Test
    void a_directory_with_a_log_is_told_as_such_and_needs_no_member_list() throws ConfigException, IOException {
        Files.writeString(directory.resolve("format"), "");

        assertThat(process(Map.of("initial-cluster", "other=http://h:1"), this::serve)
                        .start(List.of()))
                .isTrue();

        assertThat(messages()).contains("server has already been initialized");
    }

    @Test
    void a_stop_closes_the_server_and_ends_as_by_the_signal() throws ConfigException {
        ServerProcess process = process(Map.of(), this::serve);
        process.start(List.of());

        process.stop(Signals.Stop.TERM);
        process.stop(Signals.Stop.INT);

        assertThat(story).containsExactly("started", "closed", "exit 143");
        assertThat(messages()).endsWith("received signal; shutting down", "closing etcd server", "closed etcd server");
        assertThat(fields("received signal; shutting down")).containsEntry("signal", "terminated");
    }

    @Test
    void a_server_that_cannot_go_on_ends_the_process_with_the_reason_in_the_log() throws ConfigException {
        process(Map.of(), this::serve).start(List.of());

        failure.accept(new IOException("no space left on device"));

        assertThat(story).containsExactly("started", "exit 1");
        assertThat(messages()).endsWith("the server failed");
    }

    @Test
    void an_interrupt_has_its_own_code_and_name() throws ConfigException {
        ServerProcess process = process(Map.of(), this::serve);
        process.start(List.of());

        process.stop(Signals.Stop.INT);

        assertThat(story).contains("exit 130");
        assertThat(fields("received signal; shutting down")).containsEntry("signal", "interrupt");
    }

    @Test
    void a_stop_during_a_slow_start_does_not_wait_for_it() throws ConfigException {
        List<ServerProcess> self = new ArrayList<>();
        ServerProcess process = process(Map.of(), (_, _) -> {
            self.getFirst().stop(Signals.Stop.TERM);
            return new Served();
        });
        self.add(process);

        process.start(List.of());

        assertThat(story).containsExactly("exit 143");
    }

    @Test
    void a_server_that_cannot_start_is_fatal() throws ConfigException {
        ServerProcess process = process(Map.of(), (_, _) -> {
            throw new IOException("listen tcp 127.0.0.1:2379: bind: address already in use");
        });

        assertThat(process.start(List.of())).isFalse();

        assertThat(messages()).endsWith("closing etcd server", "closed etcd server", "the server cannot start");
        ILoggingEvent last = lines.list.getLast();
        assertThat(last.getMessage()).isEqualTo("the server cannot start");
        assertThat(last.getLevel()).isEqualTo(Level.ERROR);
        assertThat(last.getMarkerList()).hasToString("[fatal]");
        assertThat(last.getThrowableProxy().getMessage()).endsWith("address already in use");
    }

    @Test
    void a_member_list_that_does_not_fit_ends_with_hints() throws ConfigException {
        ServerProcess process = process(Map.of("initial-cluster", "default=http://h:1"), this::serve);

        assertThat(process.start(List.of())).isFalse();

        assertThat(story).isEmpty();
        assertThat(messages())
                .endsWith(
                        "failed to start",
                        "forgot to set --initial-cluster?",
                        "forgot to set" + " --initial-advertise-peer-urls?");
        assertThat(fields("failed to start"))
                .containsEntry(
                        "error",
                        "--initial-cluster has default=http://h:1 but missing from"
                                + " --initial-advertise-peer-urls=http://localhost:2380");
    }

    @Test
    void a_member_that_is_not_listed_is_fatal() throws ConfigException {
        ServerProcess process = process(Map.of("initial-cluster", "b=http://h:1"), this::serve);

        assertThat(process.start(List.of())).isFalse();

        assertThat(messages()).endsWith("the server cannot start");
    }

    private Launcher.Running serve(ServerConfig config, dev.nightjar.server.observe.Metrics metrics) {
        story.add("started");
        return new Served();
    }

    private ServerProcess process(Map<String, String> flags, Launcher launcher) throws ConfigException {
        Map<String, String> all = new HashMap<>(flags);
        all.put("data-dir", directory.toString());
        return new ServerProcess(launcher, ServerConfig.of(all), code -> story.add("exit " + code));
    }

    private List<String> messages() {
        return lines.list.stream().map(ILoggingEvent::getMessage).toList();
    }

    private Map<String, Object> fields(String message) {
        Map<String, Object> fields = new HashMap<>();
        lines.list.stream()
                .filter(line -> line.getMessage().equals(message))
                .forEach(line -> line.getKeyValuePairs().forEach(pair -> fields.put(pair.key, pair.value)));
        return fields;
    }

    /** A server that only says that it was closed. */
    private final class Served implements Launcher.Running {
        @Override
        public String memberId() {
            return "8e9e05c52164694d";
        }

        @Override
        public List<ServerUrl> clientUrls() {
            return List.of(new ServerUrl(ServerUrl.Scheme.HTTP, "127.0.0.1", 4711, ""));
        }

        @Override
        public List<ServerUrl> peerUrls() {
            return List.of(new ServerUrl(ServerUrl.Scheme.HTTP, "127.0.0.1", 4712, ""));
        }

        @Override
        public void onFailure(Consumer<Throwable> then) {
            failure = then;
        }

        @Override
        public void close() {
            story.add("closed");
        }
    }
}
