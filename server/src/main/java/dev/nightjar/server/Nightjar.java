/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

import dev.nightjar.api.etcdserverpb.Member;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.core.watch.WatchLimits;
import dev.nightjar.server.config.InitialCluster;
import dev.nightjar.server.config.ServerConfig;
import dev.nightjar.server.config.ServerUrl;
import dev.nightjar.server.config.Version;
import dev.nightjar.server.http.HttpFrontend;
import dev.nightjar.server.http.PeerFrontend;
import dev.nightjar.server.node.AutoCompactionSettings;
import dev.nightjar.server.node.CompactionPace;
import dev.nightjar.server.node.Identity;
import dev.nightjar.server.node.Node;
import dev.nightjar.server.node.NodeObservers;
import dev.nightjar.server.node.NodeSettings;
import dev.nightjar.server.node.UnusableFilesException;
import dev.nightjar.server.observe.GrpcMetrics;
import dev.nightjar.server.observe.Metrics;
import dev.nightjar.server.rpc.HeaderWriter;
import dev.nightjar.wire.EventLoops;
import dev.nightjar.wire.WireServer;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A server: starts with {@link #start}, serves until {@link #close}. Any thread, but not one of the server's own.
 *
 * <pre>{@code
 * ServerConfig config = ServerConfig.of(Map.of(
 *         "data-dir", directory.toString(),
 *         "listen-client-urls", "http://127.0.0.1:0",
 *         "advertise-client-urls", "http://127.0.0.1:0",
 *         "listen-peer-urls", "http://127.0.0.1:0"));
 * try (Nightjar server = Nightjar.start(config)) {
 *     SocketAddress address = server.clientAddresses().getFirst();
 *     ...
 * }
 * }</pre>
 */
public final class Nightjar implements AutoCloseable {
    private static final int MAX_LOOPS = 8;

    private final ServerConfig config;
    private final EventLoops loops;
    private final Node node;
    private final Ports ports;

    /** Whether the server is closed or being closed. */
    private final AtomicBoolean closing = new AtomicBoolean();

    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private Nightjar(ServerConfig config, EventLoops loops, Node node, Ports ports) {
        this.config = config;
        this.loops = loops;
        this.node = node;
        this.ports = ports;
    }

    /**
     * Where the server listens.
     *
     * @param calls those of the clients
     */
    private record Ports(WireServer clients, CallsUnderWay calls, PeerPort peers) {}

    /**
     * Loads native code that every server needs, on a thread of its own: for a program that has something else to do before it
     * starts one. It need not.
     */
    public static void prepare() {
        Thread.ofPlatform().daemon().name("nightjar-native").start(EventLoops::load);
    }

    /**
     * Starts a server and waits until it serves.
     *
     * @throws StartFailure if it cannot; nothing runs then
     */
    public static Nightjar start(ServerConfig config) throws StartFailure {
        return start(config, new Metrics());
    }

    /**
     * Starts a server that shows its figures in {@code metrics}, and waits until it serves.
     *
     * @throws StartFailure if it cannot; nothing runs then
     */
    public static Nightjar start(ServerConfig config, Metrics metrics) throws StartFailure {
        EventLoops loops = EventLoops.create(Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, MAX_LOOPS));
        Node node = null;
        PeerPort peers = null;
        boolean started = false;
        try {
            node = startNode(
                    settings(config),
                    loops.all(),
                    new NodeObservers(
                            new LogMetrics(metrics), new WatchMetrics(metrics), new MaintenanceMetrics(metrics)));
            peers = PeerPort.open(config.peer().listenUrls(), loops, peerPages(node));
            awaitPublished(node);
            HeaderWriter headers = new HeaderWriter(
                    node.identity().clusterId(), node.identity().memberId().value(), node::term);
            NodeMetrics.show(metrics, node);
            CallsUnderWay calls = new CallsUnderWay(new GrpcMetrics(metrics, ClientPort.methods()), ClientPort.ENDLESS);
            WireServer clients = ClientPort.open(config, node, loops, headers, outside(metrics, node, calls));
            started = true;
            return new Nightjar(config, loops, node, new Ports(clients, calls, peers));
        } finally {
            if (!started) {
                undo(peers, node, loops);
            }
        }
    }

    private static Node startNode(NodeSettings settings, List<EventLoop> loops, NodeObservers observers)
            throws StartFailure {
        try {
            return Node.start(settings, loops, observers);
        } catch (UnusableFilesException e) {
            throw new StartFailure(String.valueOf(e.getMessage()), e);
        }
    }

    private static void undo(@Nullable PeerPort peers, @Nullable Node node, EventLoops loops) {
        if (peers != null) {
            peers.close();
        }
        if (node != null) {
            node.close();
        }
        loops.close();
    }

    private static PeerFrontend peerPages(Node node) {
        return new PeerFrontend(
                node.members()::all, Long.toHexString(node.identity().clusterId()), () -> Version.CLUSTER_FULL);
    }

    private static ClientPort.Outside outside(Metrics metrics, Node node, CallsUnderWay calls) {
        return new ClientPort.Outside(
                calls,
                metrics::clientRequest,
                new RequestMetrics(metrics, node.counts()),
                new HttpFrontend(new NodeHealth(node), metrics, node.scrapes()));
    }

    private static NodeSettings settings(ServerConfig config) throws StartFailure {
        InitialCluster cluster = config.cluster().initial();
        if (cluster.members().size() > 1) {
            throw new StartFailure("--initial-cluster names "
                    + cluster.members().size() + " members, but this version serves clusters of one");
        }
        MemberId self = cluster.memberId(config.member().name());
        Member member = Member.newBuilder()
                .setName(config.member().name())
                .addAllPeerURLs(ServerUrl.texts(config.peer().advertiseUrls()))
                .addAllClientURLs(ServerUrl.texts(config.client().advertiseUrls()))
                .build();
        ServerConfig.Requests requests = config.requests();
        WatchLimits.Stream stream = WatchLimits.Stream.DEFAULT;
        WatchLimits watch = new WatchLimits(
                WatchLimits.DEFAULT.historyBytes(),
                WatchLimits.Turn.DEFAULT,
                WatchLimits.CatchUp.DEFAULT,
                WatchLimits.Revision.DEFAULT,
                new WatchLimits.Stream(
                        stream.watchersPerStream(),
                        stream.watchersPerConnection(),
                        stream.responseBytes(),
                        requests.maxMessageBytes(),
                        stream.canceledIds()),
                requests.watchProgressNotifyInterval());
        return new NodeSettings(
                config.member().dataDir(),
                new Identity(cluster.clusterId(), self),
                member,
                List.of(self),
                new NodeSettings.Timing(
                        config.raft().heartbeatInterval(), config.raft().electionTimeout()),
                config.storage().quotaBytes(),
                config.raft().snapshotCount(),
                watch,
                config.storage().fsync(),
                compaction(config.storage().compaction()));
    }

    private static NodeSettings.Compaction compaction(ServerConfig.Compaction asked) {
        AutoCompactionSettings.Mode mode = switch (asked.mode()) {
            case PERIODIC -> AutoCompactionSettings.Mode.PERIODIC;
            case REVISION -> AutoCompactionSettings.Mode.REVISION;
        };
        return new NodeSettings.Compaction(
                new AutoCompactionSettings(mode, asked.retention()),
                CompactionPace.of(asked.batchLimit(), asked.pause()));
    }

    /** A member serves once it has told all others its name and addresses, which needs a leader and a quorum. */
    private static void awaitPublished(Node node) throws StartFailure {
        CompletableFuture<Void> published = node.publishSelf();
        try {
            CompletableFuture.anyOf(published, node.stopped()).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartFailure("interrupted while waiting for a leader", e);
        } catch (ExecutionException e) {
            throw new StartFailure("cannot join the cluster: " + e.getMessage(), e);
        }
        if (!published.isDone()) {
            throw new StartFailure("the log failed: " + node.stopped().join().getMessage());
        }
    }

    /** Where clients are served, with the real ports. */
    public List<SocketAddress> clientAddresses() {
        return ports.clients().addresses();
    }

    /** This member's id in its text form. */
    public String memberId() {
        return node.identity().memberId().toString();
    }

    /** Where clients are served, as URLs, with the real ports. */
    public List<ServerUrl> clientUrls() {
        return ListenAddresses.bound(config.client().listenUrls(), clientAddresses());
    }

    /** Where members are served, as URLs, with the real ports. */
    public List<ServerUrl> peerUrls() {
        return ports.peers().urls();
    }

    /** Completes when the server cannot go on, with the reason: it has to be closed. */
    public CompletableFuture<Throwable> stopped() {
        return node.stopped();
    }

    /**
     * Stops: the port is closed, calls under way may end for as long as a request may take (watches, which do not end by
     * themselves, are cut off once nothing else is under way), then the log and the store are closed. Waits for all that;
     * the second call only waits.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            closed.join();
            return;
        }
        try {
            closeAll();
        } finally {
            closed.complete(null);
        }
    }

    private void closeAll() {
        Duration grace =
                Duration.ofSeconds(5).plus(config.raft().electionTimeout().multipliedBy(2));
        node.stopWaiting();
        PortDrain.close(ports.clients(), ports.calls(), loops.all().getFirst(), grace);
        ports.peers().close();
        node.close();
        loops.close();
    }
}
