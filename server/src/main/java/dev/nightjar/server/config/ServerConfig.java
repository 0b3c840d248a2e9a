/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Everything a server is told at its start. An immutable value, one part for each concern; all parts are checked.
 *
 * @param member who this server is
 * @param cluster whom a new server starts with
 * @param peer where other members reach it
 * @param client where clients reach it
 * @param raft the pace of the log
 * @param storage what is kept and how firmly
 * @param requests how large requests may be
 * @param log what is told, where and how
 */
public record ServerConfig(
        Member member,
        Cluster cluster,
        Peer peer,
        Client client,
        Raft raft,
        Storage storage,
        Requests requests,
        Log log) {

    /** What etcd takes for a quota of zero: 2 GiB. */
    public static final long DEFAULT_QUOTA_BYTES = 2L * 1024 * 1024 * 1024;

    /**
     * @param name the member's name, unique in its cluster
     * @param dataDir where its files are
     */
    public record Member(String name, Path dataDir) {}

    /**
     * @param initial the members of a new cluster, with the token
     * @param state whether the member starts the cluster or joins it; without meaning once it has data
     */
    public record Cluster(InitialCluster initial, ClusterState state) {}

    /** Whether the cluster is there already. */
    public enum ClusterState {
        NEW("new"),
        EXISTING("existing");

        private final String text;

        ClusterState(String text) {
            this.text = text;
        }

        /** As the flag spells it. */
        public String text() {
            return text;
        }
    }

    /**
     * @param listenUrls where to listen for members
     * @param advertiseUrls what other members are told to dial
     */
    public record Peer(List<ServerUrl> listenUrls, List<ServerUrl> advertiseUrls) {}

    /**
     * @param listenUrls where to listen for clients
     * @param advertiseUrls what clients are told to dial
     * @param grpc the terms of a connection
     */
    public record Client(List<ServerUrl> listenUrls, List<ServerUrl> advertiseUrls, Grpc grpc) {}

    /**
     * @param keepaliveMinTime clients may not ping more often than this
     * @param keepaliveInterval idle time after which the server pings, zero for never
     * @param keepaliveTimeout how long the answer to a ping may take, zero for never pinging
     * @param maxConcurrentStreams calls at a time on one connection, unsigned 32 bits
     */
    public record Grpc(
            Duration keepaliveMinTime,
            Duration keepaliveInterval,
            Duration keepaliveTimeout,
            long maxConcurrentStreams) {}

    /**
     * @param heartbeatInterval how often a leader tells its followers that it is there
     * @param electionTimeout how long a follower waits for that before it calls an election
     * @param snapshotCount applied entries between snapshots of the log
     */
    public record Raft(Duration heartbeatInterval, Duration electionTimeout, long snapshotCount) {}

    /**
     * @param quotaBackendBytes as given: zero for the default, negative for no quota
     * @param fsync whether a write is on disk before it is acknowledged; false risks data
     * @param compaction when history is given up
     */
    public record Storage(long quotaBackendBytes, boolean fsync, Compaction compaction) {

        /** The quota in bytes; {@link Long#MAX_VALUE} if there is none. */
        public long quotaBytes() {
            if (quotaBackendBytes < 0) {
                return Long.MAX_VALUE;
            }
            return quotaBackendBytes == 0 ? DEFAULT_QUOTA_BYTES : quotaBackendBytes;
        }
    }

    /**
     * @param mode what the retention counts
     * @param retention history that is kept, in nanoseconds or revisions; 0 for all, until a client compacts it
     * @param batchLimit records dropped between two pauses, 0 or less for the default
     * @param pause pause between steps, 0 or less for the default
     */
    public record Compaction(CompactionMode mode, long retention, long batchLimit, Duration pause) {}

    /** How history is given up without being asked. */
    public enum CompactionMode {
        PERIODIC("periodic"),
        REVISION("revision");

        private final String text;

        CompactionMode(String text) {
            this.text = text;
        }

        /** As the flag spells it. */
        public String text() {
            return text;
        }
    }

    /**
     * @param maxRequestBytes largest request
     * @param maxTxnOps most operations in a transaction
     * @param watchProgressNotifyInterval time without events after which watchers that asked for it get progress
     */
    public record Requests(int maxRequestBytes, int maxTxnOps, Duration watchProgressNotifyInterval) {

        /** What a gRPC message may have beyond the largest request: room for what wraps it. */
        static final int MESSAGE_OVERHEAD_BYTES = 512 * 1024;

        /** Largest gRPC message. */
        public int maxMessageBytes() {
            return maxRequestBytes + MESSAGE_OVERHEAD_BYTES;
        }
    }

    /**
     * @param level the least level that is written
     * @param format how a line looks
     * @param outputs {@code stderr}, {@code stdout} or paths of files, each once
     */
    public record Log(LogLevel level, LogFormat format, List<String> outputs) {}

    /** How a log line looks. */
    public enum LogFormat {
        JSON,
        CONSOLE
    }

    /** A configuration of flags given as name and value, without environment: for embedding and for tests. */
    public static ServerConfig of(Map<String, String> flags) throws ConfigException {
        return ConfigReader.read(FlagValues.of(flags));
    }
}
