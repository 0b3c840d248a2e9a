/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Turns flag values into a configuration and checks what one flag alone cannot show. Stateless. */
final class ConfigReader {
    /** Beyond this a cluster would be without leader for too long to be called available. */
    static final long MAX_ELECTION_MILLIS = 50_000;

    /** Larger requests hold up all others behind them. */
    static final int RECOMMENDED_REQUEST_BYTES = 10 * 1024 * 1024;

    static final Duration DEFAULT_PROGRESS_INTERVAL = Duration.ofMinutes(10);
    static final Duration MIN_PROGRESS_INTERVAL = Duration.ofMillis(100);

    private static final Pattern ADDRESS =
            Pattern.compile("(?:\\d{1,3}\\.){3}\\d{1,3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(?:%.+)?");

    private ConfigReader() {}

    static ServerConfig read(FlagValues flags) throws ConfigException {
        ServerConfig.Log log = log(flags);
        ServerConfig.Peer peer = new ServerConfig.Peer(
                flags.get(FlagTable.LISTEN_PEER_URLS), flags.get(FlagTable.INITIAL_ADVERTISE_PEER_URLS));
        List<ServerUrl> listen = flags.get(FlagTable.LISTEN_CLIENT_URLS);
        List<ServerUrl> advertise = flags.get(FlagTable.ADVERTISE_CLIENT_URLS);
        checkBind(peer.listenUrls());
        checkBind(listen);
        checkAdvertised(peer.advertiseUrls(), "--initial-advertise-peer-urls", "\"host:port\"");
        checkAdvertised(
                advertise,
                "--advertise-client-urls",
                "in the format \"host:port\", \"unix:/path/to/socket\" or \"unixs:/path/to/socket\"");
        ServerConfig.Raft raft = raft(flags);
        if (flags.isSet(FlagTable.LISTEN_CLIENT_URLS) && !flags.isSet(FlagTable.ADVERTISE_CLIENT_URLS)) {
            throw new ConfigException(
                    "--advertise-client-urls is required when --listen-client-urls is set explicitly");
        }
        String name = flags.get(FlagTable.NAME);
        String dataDir = flags.get(FlagTable.DATA_DIR);
        return new ServerConfig(
                new ServerConfig.Member(name, Path.of(dataDir.isEmpty() ? name + ".etcd" : dataDir)),
                cluster(flags, name, peer),
                peer,
                new ServerConfig.Client(listen, advertise, grpc(flags)),
                raft,
                new ServerConfig.Storage(
                        flags.get(FlagTable.QUOTA_BACKEND_BYTES),
                        !flags.get(FlagTable.UNSAFE_NO_FSYNC),
                        CompactionFlags.read(flags)),
                requests(flags),
                log);
    }

    /** What is allowed, but perhaps not meant. */
    static List<StartRequest.Notice> remarks(FlagValues flags, ServerConfig config) {
        List<StartRequest.Notice> remarks = new ArrayList<>();
        if (flags.get(FlagTable.DATA_DIR).isEmpty()) {
            String directory = config.member().dataDir().toString();
            remarks.add(warning("'data-dir' was empty; using default", "data-dir", directory));
        }
        if (config.requests().maxRequestBytes() > RECOMMENDED_REQUEST_BYTES) {
            String bytes = Integer.toString(config.requests().maxRequestBytes());
            remarks.add(warning("exceeded recommended request limit", "max-request-bytes", bytes));
        }
        return remarks;
    }

    private static StartRequest.Notice warning(String message, String key, String value) {
        return new StartRequest.Notice(LogLevel.WARN, message, Map.of(key, value));
    }

    private static ServerConfig.Cluster cluster(FlagValues flags, String name, ServerConfig.Peer peer)
            throws ConfigException {
        String members = flags.get(FlagTable.INITIAL_CLUSTER);
        String token = flags.get(FlagTable.INITIAL_CLUSTER_TOKEN);
        InitialCluster initial;
        try {
            initial = members.isEmpty()
                    ? InitialCluster.single(name, peer.advertiseUrls(), token)
                    : InitialCluster.parse(members, token);
        } catch (ConfigException e) {
            throw new ConfigException("error setting up initial cluster: " + e.getMessage());
        }
        boolean existing = flags.get(FlagTable.INITIAL_CLUSTER_STATE).equals(ServerConfig.ClusterState.EXISTING.text());
        return new ServerConfig.Cluster(
                initial, existing ? ServerConfig.ClusterState.EXISTING : ServerConfig.ClusterState.NEW);
    }

    private static ServerConfig.Raft raft(FlagValues flags) throws ConfigException {
        long heartbeat = flags.get(FlagTable.HEARTBEAT_INTERVAL);
        long election = flags.get(FlagTable.ELECTION_TIMEOUT);
        if (heartbeat == 0) {
            throw new ConfigException("--heartbeat-interval must be >0 (set to 0ms)");
        }
        if (election == 0) {
            throw new ConfigException("--election-timeout must be >0 (set to 0ms)");
        }
        if (heartbeat > election / 5) {
            throw new ConfigException("--election-timeout[" + election
                    + "ms] should be at least as 5 times as --heartbeat-interval[" + heartbeat + "ms]");
        }
        if (election > MAX_ELECTION_MILLIS) {
            throw new ConfigException("--election-timeout[" + election + "ms] is too long, and should be set less than "
                    + MAX_ELECTION_MILLIS + "ms");
        }
        return new ServerConfig.Raft(
                Duration.ofMillis(heartbeat), Duration.ofMillis(election), flags.get(FlagTable.SNAPSHOT_COUNT));
    }

    private static ServerConfig.Grpc grpc(FlagValues flags) {
        return new ServerConfig.Grpc(
                flags.get(FlagTable.GRPC_KEEPALIVE_MIN_TIME),
                flags.get(FlagTable.GRPC_KEEPALIVE_INTERVAL),
                flags.get(FlagTable.GRPC_KEEPALIVE_TIMEOUT),
                flags.get(FlagTable.MAX_CONCURRENT_STREAMS));
    }

    private static ServerConfig.Requests requests(FlagValues flags) throws ConfigException {
        Duration progress = flags.get(FlagTable.WATCH_PROGRESS_NOTIFY_INTERVAL);
        if (progress.isZero() || progress.isNegative()) {
            progress = DEFAULT_PROGRESS_INTERVAL;
        } else if (progress.compareTo(MIN_PROGRESS_INTERVAL) < 0) {
            progress = MIN_PROGRESS_INTERVAL;
        }
        return new ServerConfig.Requests(
                within(
                        flags,
                        FlagTable.MAX_REQUEST_BYTES,
                        Integer.MAX_VALUE - ServerConfig.Requests.MESSAGE_OVERHEAD_BYTES),
                within(flags, FlagTable.MAX_TXN_OPS, Integer.MAX_VALUE),
                progress);
    }

    private static int within(FlagValues flags, Flag<Long> flag, int most) throws ConfigException {
        long value = flags.get(flag);
        if (value > most) {
            throw new ConfigException("--" + flag.name() + " must be at most " + most + " (set to " + value + ")");
        }
        return (int) value;
    }

    private static ServerConfig.Log log(FlagValues flags) throws ConfigException {
        String format = flags.get(FlagTable.LOG_FORMAT);
        ServerConfig.LogFormat logFormat = switch (format) {
            case "json" -> ServerConfig.LogFormat.JSON;
            case "console" -> ServerConfig.LogFormat.CONSOLE;
            default -> throw new ConfigException("unknown log format: " + format + ", supported values json, console");
        };
        List<String> outputs = new ArrayList<>();
        for (String part : flags.get(FlagTable.LOG_OUTPUTS).split(",", -1)) {
            String output = part.equals("default") ? "stderr" : part;
            if (output.isEmpty() || output.equals("systemd/journal")) {
                throw new ConfigException(
                        "unknown log output: \"" + output + "\", supported values default, stderr, stdout, file paths");
            }
            if (!outputs.contains(output)) {
                outputs.add(output);
            }
        }
        return new ServerConfig.Log(LogLevel.parse(flags.get(FlagTable.LOG_LEVEL)), logFormat, List.copyOf(outputs));
    }

    /** A name may stand for an address of another machine, so only addresses and localhost can be listened on. */
    private static void checkBind(List<ServerUrl> urls) throws ConfigException {
        for (ServerUrl url : urls) {
            boolean bindable = url.host().equals("localhost")
                    || ADDRESS.matcher(url.host()).matches();
            if (!url.scheme().local() && !bindable) {
                throw new ConfigException("expected IP in URL for binding (" + url + ")");
            }
        }
    }

    private static void checkAdvertised(List<ServerUrl> urls, String flag, String form) throws ConfigException {
        for (ServerUrl url : urls) {
            if (!url.scheme().local() && url.host().isEmpty()) {
                throw new ConfigException(flag + " \"" + ServerUrl.join(urls) + "\" must be " + form
                        + " (unexpected empty host (" + url + "))");
            }
        }
    }
}
