/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.main;

import dev.nightjar.server.StartFailure;
import dev.nightjar.server.config.ConfigException;
import dev.nightjar.server.config.InitialCluster;
import dev.nightjar.server.config.ServerConfig;
import dev.nightjar.server.config.ServerConfig.ClusterState;
import dev.nightjar.server.config.ServerUrl;
import dev.nightjar.server.config.Version;
import dev.nightjar.server.observe.LogMarkers;
import dev.nightjar.server.observe.Metrics;
import dev.nightjar.wire.ListenException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of one server process, told in etcd's log lines. {@link #start} runs on the main thread, {@link #stop} on the
 * signal thread; the two meet in {@link #running}.
 */
final class ServerProcess {
    private static final Logger LOG = LoggerFactory.getLogger(ServerProcess.class);

    private static final int FAILED = 1;

    private final Launcher launcher;
    private final ServerConfig config;
    private final IntConsumer exit;
    private final AtomicReference<Launcher.@Nullable Running> running = new AtomicReference<>();
    private final AtomicBoolean stopping = new AtomicBoolean();

    /**
     * @param exit ends the process with a code
     */
    ServerProcess(Launcher launcher, ServerConfig config, IntConsumer exit) {
        this.launcher = launcher;
        this.config = config;
        this.exit = exit;
    }

    /** Starts the server; false if that failed, and the reason is logged. */
    boolean start(List<String> arguments) {
        launcher.prepare();
        LOG.atInfo().addKeyValue("args", withProgram(arguments)).log("Running: ");
        LOG.warn("Running http and grpc server on single port. This is not recommended for production.");
        boolean initialized = tellDirectory();
        LOG.atInfo()
                .addKeyValue("listen-peer-urls", texts(config.peer().listenUrls()))
                .log("configuring peer listeners");
        LOG.atInfo()
                .addKeyValue("listen-client-urls", texts(config.client().listenUrls()))
                .log("configuring client listeners");
        tellConfiguration(initialized);
        try {
            if (!initialized && config.cluster().state() == ClusterState.NEW) {
                checkMembership();
            }
            Launcher.Running server = launcher.start(config, new Metrics());
            running.set(server);
            server.onFailure(this::fail);
            tellReady(server);
            return true;
        } catch (Exception e) {
            closing("closing etcd server");
            closing("closed etcd server");
            tellFailure(e);
            return false;
        }
    }

    /**
     * Stops the server and ends the process. A signal before the server is up ends the process at once, which the files
     * must stand at any time anyway; a second signal does nothing.
     */
    void stop(Signals.Stop signal) {
        if (stopping.getAndSet(true)) {
            return;
        }
        LOG.atInfo().addKeyValue("signal", signal.text()).log("received signal; shutting down");
        Launcher.Running server = running.get();
        if (server != null) {
            closing("closing etcd server");
            server.close();
            closing("closed etcd server");
        }
        exit.accept(signal.exitCode());
    }

    /** The server cannot go on: nothing more is acknowledged, and a restart recovers what was. */
    private void fail(Throwable cause) {
        if (stopping.get()) {
            LOG.atWarn().addKeyValue("error", cause.toString()).log("the server failed as it was being stopped");
            return;
        }
        LOG.atError().addMarker(LogMarkers.FATAL).setCause(cause).log("the server failed");
        exit.accept(FAILED);
    }

    private void closing(String message) {
        LOG.atInfo()
                .addKeyValue("name", config.member().name())
                .addKeyValue("data-dir", config.member().dataDir())
                .addKeyValue("advertise-peer-urls", texts(config.peer().advertiseUrls()))
                .addKeyValue("advertise-client-urls", texts(config.client().advertiseUrls()))
                .log(message);
    }

    private boolean tellDirectory() {
        Path directory = config.member().dataDir();
        boolean initialized = Files.exists(directory.resolve("format"));
        LOG.atInfo()
                .addKeyValue("name", config.member().name())
                .addKeyValue("data-dir", directory)
                .addKeyValue("dir-type", initialized ? "member" : "empty")
                .log(initialized ? "server has already been initialized" : "Initialize and start etcd server");
        return initialized;
    }

    private void tellConfiguration(boolean initialized) {
        ServerConfig.Grpc grpc = config.client().grpc();
        // Written as a time also where it counts revisions, which is what readers of the line are used to.
        Duration retention = Duration.ofNanos(config.storage().compaction().retention());
        LOG.atInfo()
                .addKeyValue("etcd-version", Version.ETCD)
                .addKeyValue("nightjar-version", Version.NIGHTJAR)
                .addKeyValue("java-version", Runtime.version().toString())
                .addKeyValue("max-cpu-available", Runtime.getRuntime().availableProcessors())
                .addKeyValue("member-initialized", initialized)
                .addKeyValue("name", config.member().name())
                .addKeyValue("data-dir", config.member().dataDir())
                .addKeyValue("heartbeat-interval", config.raft().heartbeatInterval())
                .addKeyValue("election-timeout", config.raft().electionTimeout())
                .addKeyValue("snapshot-count", config.raft().snapshotCount())
                .addKeyValue("initial-advertise-peer-urls", texts(config.peer().advertiseUrls()))
                .addKeyValue("listen-peer-urls", texts(config.peer().listenUrls()))
                .addKeyValue("advertise-client-urls", texts(config.client().advertiseUrls()))
                .addKeyValue("listen-client-urls", texts(config.client().listenUrls()))
                .addKeyValue("initial-cluster", config.cluster().initial().text())
                .addKeyValue("initial-cluster-state", config.cluster().state().text())
                .addKeyValue("initial-cluster-token", config.cluster().initial().token())
                .addKeyValue("quota-backend-bytes", config.storage().quotaBackendBytes())
                .addKeyValue(
                        "auto-compaction-mode",
                        config.storage().compaction().mode().text())
                .addKeyValue("auto-compaction-retention", retention)
                .addKeyValue("auto-compaction-interval", retention)
                .addKeyValue("max-request-bytes", config.requests().maxRequestBytes())
                .addKeyValue("max-txn-ops", config.requests().maxTxnOps())
                .addKeyValue("max-concurrent-streams", grpc.maxConcurrentStreams())
                .log("starting an etcd server");
    }

    private void checkMembership() throws ConfigException {
        config.cluster()
                .initial()
                .checkMember(config.member().name(), config.peer().advertiseUrls(), ServerProcess::addresses);
    }

    private static Set<String> addresses(String host) {
        try {
            return Arrays.stream(InetAddress.getAllByName(host))
                    .map(InetAddress::getHostAddress)
                    .collect(Collectors.toSet());
        } catch (UnknownHostException e) {
            return Set.of();
        }
    }

    private void tellReady(Launcher.Running server) {
        LOG.atInfo()
                .addKeyValue("local-member-id", server.memberId())
                .addKeyValue("initial-advertise-peer-urls", texts(config.peer().advertiseUrls()))
                .addKeyValue("listen-peer-urls", texts(server.peerUrls()))
                .addKeyValue("advertise-client-urls", texts(config.client().advertiseUrls()))
                .addKeyValue("listen-client-urls", texts(server.clientUrls()))
                .log("now serving peer/client/metrics");
        for (ServerUrl url : server.peerUrls()) {
            LOG.atInfo().addKeyValue("address", url.address()).log("serving peer traffic");
        }
        for (ServerUrl url : server.clientUrls()) {
            LOG.info("ready to serve client requests");
            if (url.scheme().secure()) {
                serving(url, "serving client traffic securely");
            } else {
                serving(url, "serving client traffic insecurely; this is strongly discouraged!");
            }
        }
    }

    private static void serving(ServerUrl url, String message) {
        LOG.atInfo()
                .addKeyValue("traffic", "grpc+http")
                .addKeyValue("address", url.address())
                .log(message);
    }

    private void tellFailure(Exception failure) {
        String message = String.valueOf(failure.getMessage());
        if (!message.contains("--initial-cluster")) {
            var line = LOG.atError().addMarker(LogMarkers.FATAL);
            // What is expected to go wrong is told in a sentence; only what is not needs the place in the code.
            boolean expected = failure instanceof StartFailure
                    || failure instanceof ConfigException
                    || failure instanceof ListenException;
            (expected ? line.addKeyValue("error", message) : line.setCause(failure)).log("the server cannot start");
            return;
        }
        LOG.atWarn().addKeyValue("error", message).log("failed to start");
        InitialCluster alone = config.cluster().initial();
        if (alone.members().size() == 1) {
            LOG.warn("forgot to set --initial-cluster?");
        }
        if (ServerUrl.join(config.peer().advertiseUrls()).equals("http://localhost:2380")) {
            LOG.warn("forgot to set --initial-advertise-peer-urls?");
        }
    }

    private static List<String> withProgram(List<String> arguments) {
        return Stream.concat(Stream.of("nightjar"), arguments.stream()).toList();
    }

    private static List<String> texts(List<ServerUrl> urls) {
        return ServerUrl.texts(urls);
    }
}
