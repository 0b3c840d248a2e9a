/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import static dev.nightjar.server.config.Flag.Section.CLUSTERING;
import static dev.nightjar.server.config.Flag.Section.COMPACTION;
import static dev.nightjar.server.config.Flag.Section.LIMITS;
import static dev.nightjar.server.config.Flag.Section.LOGGING;
import static dev.nightjar.server.config.Flag.Section.MEMBER;
import static dev.nightjar.server.config.Flag.Section.PROCESS;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The table of flags: the one place that says which there are. Command line, environment, checks, help and reference
 * page follow from it. Names and defaults are etcd's. Immutable.
 */
final class FlagTable {
    static final Flag<String> NAME =
            new Flag<>(MEMBER, "name", FlagType.STRING, "default", "Name of this member, unique in its cluster.");
    static final Flag<String> DATA_DIR = new Flag<>(
            MEMBER,
            "data-dir",
            FlagType.STRING,
            "",
            "Directory of this member's files; if empty, the member's name with .etcd added, in the working directory.");
    static final Flag<List<ServerUrl>> LISTEN_PEER_URLS = new Flag<>(
            MEMBER, "listen-peer-urls", FlagType.URLS, "http://localhost:2380", "Where to listen for other members.");
    static final Flag<List<ServerUrl>> LISTEN_CLIENT_URLS = new Flag<>(
            MEMBER,
            "listen-client-urls",
            FlagType.URLS,
            "http://localhost:2379",
            "Where to listen for clients, gRPC and HTTP on one port. Port 0 takes any free one.");
    static final Flag<Long> SNAPSHOT_COUNT = new Flag<>(
            MEMBER, "snapshot-count", FlagType.UINT, "10000", "Applied log entries between two snapshots of the log.");
    static final Flag<Long> HEARTBEAT_INTERVAL = new Flag<>(
            MEMBER,
            "heartbeat-interval",
            FlagType.UINT,
            "100",
            "Milliseconds between two signs of life from a leader to its followers.");
    static final Flag<Long> ELECTION_TIMEOUT = new Flag<>(
            MEMBER,
            "election-timeout",
            FlagType.UINT,
            "1000",
            "Milliseconds without such a sign after which a follower calls an election: at least five heartbeat"
                    + " intervals, at most 50000.");
    static final Flag<Long> QUOTA_BACKEND_BYTES = new Flag<>(
            MEMBER,
            "quota-backend-bytes",
            FlagType.INT64,
            "0",
            "Size of the store at which writes that add data are refused. 0 means 2 GiB, a negative number no limit.");
    static final Flag<Boolean> UNSAFE_NO_FSYNC = new Flag<>(
            MEMBER,
            "unsafe-no-fsync",
            FlagType.BOOL,
            "false",
            "Acknowledge writes before they are on disk. A crash of the machine may lose acknowledged data.");

    static final Flag<List<ServerUrl>> INITIAL_ADVERTISE_PEER_URLS = new Flag<>(
            CLUSTERING,
            "initial-advertise-peer-urls",
            FlagType.URLS,
            "http://localhost:2380",
            "What other members are told to dial.");
    static final Flag<List<ServerUrl>> ADVERTISE_CLIENT_URLS = new Flag<>(
            CLUSTERING,
            "advertise-client-urls",
            FlagType.URLS,
            "http://localhost:2379",
            "What clients are told to dial. Must be given if --listen-client-urls is.");
    static final Flag<String> INITIAL_CLUSTER = new Flag<>(
            CLUSTERING,
            "initial-cluster",
            FlagType.STRING,
            "",
            "Members of a new cluster as name=url,name=url,…; a member with several URLs repeats its name. If empty,"
                    + " this member alone, at --initial-advertise-peer-urls.");
    static final Flag<String> INITIAL_CLUSTER_STATE = new Flag<>(
            CLUSTERING,
            "initial-cluster-state",
            FlagType.choice("new", "existing"),
            "new",
            "Whether a member without data starts a new cluster or joins an existing one.");
    static final Flag<String> INITIAL_CLUSTER_TOKEN = new Flag<>(
            CLUSTERING,
            "initial-cluster-token",
            FlagType.STRING,
            "etcd-cluster",
            "Sets clusters with equal URLs apart: it is part of cluster and member ids.");

    static final Flag<Long> MAX_REQUEST_BYTES =
            new Flag<>(LIMITS, "max-request-bytes", FlagType.UINT, "1572864", "Largest client request, in bytes.");
    static final Flag<Long> MAX_TXN_OPS =
            new Flag<>(LIMITS, "max-txn-ops", FlagType.UINT, "128", "Most operations in one transaction.");
    static final Flag<Long> MAX_CONCURRENT_STREAMS = new Flag<>(
            LIMITS,
            "max-concurrent-streams",
            FlagType.UINT32,
            "4294967295",
            "Most calls at a time on one client connection.");
    static final Flag<Duration> WATCH_PROGRESS_NOTIFY_INTERVAL = new Flag<>(
            LIMITS,
            "watch-progress-notify-interval",
            FlagType.DURATION,
            "0s",
            "Time without events after which watchers that asked for it are told how far they are. 0 means 10m, less"
                    + " than 100ms is taken as 100ms.");
    static final Flag<Duration> GRPC_KEEPALIVE_MIN_TIME = new Flag<>(
            LIMITS,
            "grpc-keepalive-min-time",
            FlagType.DURATION,
            "5s",
            "A client that pings more often than this is disconnected.");
    static final Flag<Duration> GRPC_KEEPALIVE_INTERVAL = new Flag<>(
            LIMITS,
            "grpc-keepalive-interval",
            FlagType.DURATION,
            "2h0m0s",
            "Time without traffic after which the server pings a client. 0 means never.");
    static final Flag<Duration> GRPC_KEEPALIVE_TIMEOUT = new Flag<>(
            LIMITS,
            "grpc-keepalive-timeout",
            FlagType.DURATION,
            "20s",
            "Time after such a ping within which the client must answer. 0 means that the server does not ping.");

    static final Flag<String> AUTO_COMPACTION_MODE = new Flag<>(
            COMPACTION,
            "auto-compaction-mode",
            FlagType.STRING,
            "periodic",
            "What --auto-compaction-retention counts: periodic for time, revision for revisions.");
    static final Flag<String> AUTO_COMPACTION_RETENTION = new Flag<>(
            COMPACTION,
            "auto-compaction-retention",
            FlagType.STRING,
            "0",
            "How much history the leader keeps by itself. With periodic a duration, or a number of hours; it compacts"
                    + " once an hour, or once in this time if that is shorter. With revision a number of revisions; it"
                    + " compacts every five minutes. 0 means that history is kept until a client compacts it.");
    static final Flag<Long> COMPACTION_BATCH_LIMIT = new Flag<>(
            COMPACTION,
            "compaction-batch-limit",
            FlagType.INT64,
            "0",
            "Records that a step of compaction drops before it pauses. 0 means as many as some milliseconds allow.");
    static final Flag<Duration> COMPACTION_SLEEP_INTERVAL = new Flag<>(
            COMPACTION,
            "compaction-sleep-interval",
            FlagType.DURATION,
            "0s",
            "Pause between two steps of compaction. 0 means 1ms, which is also the least.");

    static final Flag<String> LOG_LEVEL = new Flag<>(
            LOGGING,
            "log-level",
            FlagType.STRING,
            "info",
            "Least level that is logged: debug, info, warn, error, panic or fatal.");
    static final Flag<String> LOG_FORMAT = new Flag<>(
            LOGGING, "log-format", FlagType.STRING, "json", "Form of log lines: json, or console for people.");
    static final Flag<String> LOG_OUTPUTS = new Flag<>(
            LOGGING,
            "log-outputs",
            FlagType.STRING,
            "default",
            "Where log lines go, comma separated: stderr, stdout, paths of files. default is stderr.");

    static final Flag<Boolean> VERSION =
            new Flag<>(PROCESS, "version", FlagType.BOOL, "false", "Print the version and exit.");

    /** All of them, in the order of the reference page. {@code -h} and {@code --help} are known to the parser. */
    static final List<Flag<?>> ALL = List.of(
            NAME,
            DATA_DIR,
            LISTEN_PEER_URLS,
            LISTEN_CLIENT_URLS,
            SNAPSHOT_COUNT,
            HEARTBEAT_INTERVAL,
            ELECTION_TIMEOUT,
            QUOTA_BACKEND_BYTES,
            UNSAFE_NO_FSYNC,
            INITIAL_ADVERTISE_PEER_URLS,
            ADVERTISE_CLIENT_URLS,
            INITIAL_CLUSTER,
            INITIAL_CLUSTER_STATE,
            INITIAL_CLUSTER_TOKEN,
            MAX_REQUEST_BYTES,
            MAX_TXN_OPS,
            MAX_CONCURRENT_STREAMS,
            WATCH_PROGRESS_NOTIFY_INTERVAL,
            GRPC_KEEPALIVE_MIN_TIME,
            GRPC_KEEPALIVE_INTERVAL,
            GRPC_KEEPALIVE_TIMEOUT,
            AUTO_COMPACTION_MODE,
            AUTO_COMPACTION_RETENTION,
            COMPACTION_BATCH_LIMIT,
            COMPACTION_SLEEP_INTERVAL,
            LOG_LEVEL,
            LOG_FORMAT,
            LOG_OUTPUTS,
            VERSION);

    static final Map<String, Flag<?>> BY_NAME =
            ALL.stream().collect(Collectors.toUnmodifiableMap(Flag::name, Function.identity()));

    private FlagTable() {}
}
