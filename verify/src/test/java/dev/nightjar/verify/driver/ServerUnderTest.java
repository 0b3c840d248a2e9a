/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A one-member server as a process of its own: started on a data directory and two free ports, killed, terminated, and
 * started again on the same ones. Owned by the test's thread.
 *
 * <p>Output of all its lives goes to {@code server.log} in its directory.
 */
public abstract class ServerUnderTest implements AutoCloseable {
    /** The line that etcd prints when it serves; tools wait for it, so every server here has to print it. */
    public static final String READY = "ready to serve client requests";

    /** Longest start that is waited for: a cold JVM on a busy machine takes seconds, a hang takes for ever. */
    public static final Duration START_LIMIT = Duration.ofMinutes(2);

    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);

    private final Path directory;
    private final List<String> flags;
    private final List<String> javaOptions;
    private int clientPort = Ports.free();
    private int peerPort = Ports.free();
    private Path dataDirectory;
    private @Nullable Process process;
    private @Nullable ProcessOutput output;

    /** @param flags of the server; those that begin with -D or -X are for a JVM, if there is one */
    ServerUnderTest(Path directory, List<String> flags) {
        this.directory = directory;
        this.dataDirectory = directory.resolve("data");
        this.flags = flags.stream().filter(flag -> !isForJava(flag)).toList();
        this.javaOptions = flags.stream().filter(ServerUnderTest::isForJava).toList();
    }

    private static boolean isForJava(String flag) {
        return flag.startsWith("-D") || flag.startsWith("-X");
    }

    List<String> javaOptions() {
        return javaOptions;
    }

    /** The program and those of its arguments that come before the flags of etcd. */
    abstract List<String> program();

    /** Makes the process give back what it no longer needs, where a server needs to be asked. */
    public abstract void settleMemory();

    /** Bytes of live objects, where a server can tell; after {@link #settleMemory}, without garbage. */
    public abstract OptionalLong liveHeapBytes();

    /** Starts the process and waits until it says that it serves clients. */
    public void start() {
        launch();
        output().await(READY, START_LIMIT);
    }

    /** Starts the process and does not wait. */
    public void launch() {
        if (isAlive()) {
            throw new IllegalStateException("already running: " + this);
        }
        try {
            Files.createDirectories(directory);
            ProcessBuilder builder = new ProcessBuilder(commandLine())
                    .directory(directory.toFile())
                    .redirectErrorStream(true);
            Map<String, String> environment = builder.environment();
            environment.keySet().removeIf(name -> name.startsWith("ETCD") || name.startsWith("NIGHTJAR"));
            if (!javaOptions.isEmpty()) {
                // How a start script takes them.
                environment.put("NIGHTJAR_JAVA_OPTS", String.join(" ", javaOptions));
            }
            Process started = builder.start();
            Leftovers.register(started);
            process = started;
            output = new ProcessOutput(started, logFile());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + this, e);
        }
    }

    private List<String> commandLine() {
        List<String> command = new ArrayList<>(program());
        String client = "http://" + endpoint();
        String peer = "http://127.0.0.1:" + peerPort;
        command.addAll(List.of(
                "--name=verify",
                "--data-dir=" + dataDirectory(),
                "--listen-client-urls=" + client,
                "--advertise-client-urls=" + client,
                "--listen-peer-urls=" + peer,
                "--initial-advertise-peer-urls=" + peer,
                "--initial-cluster=verify=" + peer));
        command.addAll(flags);
        return command;
    }

    /** Makes this server, before its start, want the port or the data directory of another one. */
    public void collideWith(ServerUnderTest other, Collision collision) {
        switch (collision) {
            case CLIENT_PORT -> clientPort = other.clientPort;
            case PEER_PORT -> peerPort = other.peerPort;
            case DATA_DIRECTORY -> dataDirectory = other.dataDirectory;
        }
    }

    /** What two servers cannot share. */
    public enum Collision {
        CLIENT_PORT,
        PEER_PORT,
        DATA_DIRECTORY
    }

    /** Kills the process at once (SIGKILL) and waits for its end. */
    public void kill() {
        var _ = process().toHandle().destroyForcibly();
        awaitExit(STOP_LIMIT);
    }

    /** Asks the process to end (SIGTERM) and waits; returns its exit code. */
    public int terminate() {
        // Not by the process itself, which would also stop listening to its last words.
        var _ = process().toHandle().destroy();
        return awaitExit(STOP_LIMIT);
    }

    /** Waits for the end of the process; returns its exit code. */
    public int awaitExit(Duration limit) {
        try {
            if (!process().waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError(this + " did not end within " + limit + "\n" + output().tail());
            }
            output().awaitEnd();
            return process().exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for the end of " + this, e);
        }
    }

    public boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** Host and port for clients. */
    public String endpoint() {
        return "127.0.0.1:" + clientPort;
    }

    public int clientPort() {
        return clientPort;
    }

    public Path dataDirectory() {
        return dataDirectory;
    }

    public Path logFile() {
        return directory.resolve("server.log");
    }

    /** What the present or last life of the process printed. */
    public ProcessOutput output() {
        if (output == null) {
            throw new IllegalStateException("never started: " + this);
        }
        return output;
    }

    public long pid() {
        return process().pid();
    }

    private Process process() {
        if (process == null) {
            throw new IllegalStateException("never started: " + this);
        }
        return process;
    }

    /** Kills the process if it runs; its files stay. */
    @Override
    public void close() {
        if (isAlive()) {
            kill();
        }
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + " at " + endpoint() + " in " + directory;
    }
}
