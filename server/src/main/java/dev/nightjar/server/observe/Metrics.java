/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import dev.nightjar.server.config.Version;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.datapoints.GaugeDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Every metric of a server, under etcd's names. Any thread; one instance for each server, so that several in one process
 * do not mix.
 *
 * <p>What happens in the server layer is counted here: {@code metrics.proposalsFailed.inc()}. What other layers know is
 * read from them at each scrape: {@code metrics.keysTotal.follow(store::keyCount)}. A metric with labels is resolved to
 * its series once, by the methods at the end, and the series kept by the caller. Times are observed in seconds, see
 * {@link #seconds}. Names ending in {@code _total} are gauges where etcd has gauges.
 */
public final class Metrics {
    /** The media type of {@link #text}. */
    public static final String CONTENT_TYPE = MetricsText.CONTENT_TYPE;

    /** Distinct versions that clients may claim before further ones are counted together: each is a series for good. */
    static final int MAX_CLIENT_VERSIONS = 32;

    private final PrometheusRegistry registry = new PrometheusRegistry();

    /** The names of labels by family, for the reference page. */
    private final Map<String, List<String>> labels = new HashMap<>();

    // Server and log

    public final LiveGauge hasLeader = live("etcd_server_has_leader", "1 if this member knows a leader, else 0.");
    public final LiveGauge isLeader = live("etcd_server_is_leader", "1 while this member leads, else 0.");
    public final LiveGauge isLearner = live("etcd_server_is_learner", "1 while this member is a learner, else 0.");
    public final LiveCounter leaderChangesSeen = read(
            "etcd_server_leader_changes_seen_total", "Times that a leader appeared, the first one of a run included.");
    public final LiveGauge proposalsCommitted =
            live("etcd_server_proposals_committed_total", "Index up to which log entries are committed.");
    public final LiveGauge proposalsApplied =
            live("etcd_server_proposals_applied_total", "Index up to which log entries are applied.");
    public final LiveGauge proposalsPending =
            live("etcd_server_proposals_pending", "Proposals that wait for their result.");
    public final CounterDataPoint proposalsFailed =
            counter("etcd_server_proposals_failed_total", "Proposals that were refused or timed out.");
    public final CounterDataPoint slowApplies =
            counter("etcd_server_slow_apply_total", "Applies and reads that took longer than they should.");
    public final CounterDataPoint slowReadIndexes =
            counter("etcd_server_slow_read_indexes_total", "Read barriers that timed out.");
    public final CounterDataPoint readIndexesFailed =
            counter("etcd_server_read_indexes_failed_total", "Read barriers that failed.");
    public final LiveGauge quotaBackendBytes =
            live("etcd_server_quota_backend_bytes", "Size of the store at which writes are refused, in bytes.");
    public final CounterDataPoint healthSuccess =
            counter("etcd_server_health_success", "Requests of /health that found the server healthy.");
    public final CounterDataPoint healthFailures =
            counter("etcd_server_health_failures", "Requests of /health that found the server unhealthy.");

    // Disk

    public final DistributionDataPoint walFsyncDuration =
            histogram("etcd_disk_wal_fsync_duration_seconds", "Time of one fsync of the log.", 0.001, 14);
    public final DistributionDataPoint walWriteDuration =
            histogram("etcd_disk_wal_write_duration_seconds", "Time of one write to the log.", 0.001, 14);
    public final LiveGauge walWriteBytes = live("etcd_disk_wal_write_bytes_total", "Bytes written to the log.");
    public final DistributionDataPoint backendCommitDuration =
            histogram("etcd_disk_backend_commit_duration_seconds", "Time of one commit to the store.", 0.001, 14);
    public final DistributionDataPoint defragDuration =
            histogram("etcd_disk_backend_defrag_duration_seconds", "Time of one defragmentation.", 0.1, 13);
    public final GaugeDataPoint defragInFlight = Gauge.builder()
            .name("etcd_disk_defrag_inflight")
            .help("Defragmentations that are under way.")
            .register(registry);

    // Keys and revisions

    public final LiveGauge dbTotalSize =
            live("etcd_mvcc_db_total_size_in_bytes", "Bytes that the store takes on disk.");
    public final LiveGauge dbTotalSizeInUse =
            live("etcd_mvcc_db_total_size_in_use_in_bytes", "Bytes of the store that hold live data.");
    public final LiveCounter ranges = read("etcd_mvcc_range_total", "Range operations.");
    public final LiveCounter puts = read("etcd_mvcc_put_total", "Put operations.");
    public final LiveCounter deletes = read("etcd_mvcc_delete_total", "Delete operations.");
    public final LiveCounter txns = read("etcd_mvcc_txn_total", "Transactions of more than one operation.");
    public final DistributionDataPoint hashDuration =
            histogram("etcd_mvcc_hash_duration_seconds", "Time of one hash of all that is replicated.", 0.01, 15);
    public final DistributionDataPoint hashRevDuration = histogram(
            "etcd_mvcc_hash_rev_duration_seconds", "Time of one hash of the keys up to a revision.", 0.01, 15);
    public final LiveGauge keysTotal = live("etcd_debugging_mvcc_keys_total", "Keys that exist now.");
    public final LiveGauge currentRevision = live("etcd_debugging_mvcc_current_revision", "The newest revision.");
    public final LiveGauge compactRevision =
            live("etcd_debugging_mvcc_compact_revision", "The compacted revision, -1 if there is none.");
    public final LiveGauge totalPutSize =
            live("etcd_debugging_mvcc_total_put_size_in_bytes", "Bytes of keys and values put since the start.");
    public final LiveCounter compactedKeys =
            read("etcd_debugging_mvcc_db_compaction_keys_total", "Records removed by compaction.");
    public final LiveGauge lastCompaction =
            live("etcd_debugging_mvcc_db_compaction_last", "Unix time of the last compaction, 0 if there was none.");

    // Watches

    public final LiveGauge watchStreams = live("etcd_debugging_mvcc_watch_stream_total", "Open watch streams.");
    public final LiveGauge watchers = live("etcd_debugging_mvcc_watcher_total", "Watchers.");
    public final LiveGauge slowWatchers =
            live("etcd_debugging_mvcc_slow_watcher_total", "Watchers that are behind the newest revision.");
    public final LiveCounter events = read("etcd_debugging_mvcc_events_total", "Events sent to watchers.");
    public final LiveGauge pendingEvents =
            live("etcd_debugging_mvcc_pending_events_total", "Events queued for watch streams.");

    // Clients

    public final CounterDataPoint clientBytesSent =
            counter("etcd_network_client_grpc_sent_bytes_total", "Bytes of messages sent to clients.");
    public final CounterDataPoint clientBytesReceived =
            counter("etcd_network_client_grpc_received_bytes_total", "Bytes of messages received from clients.");

    // Scrapes

    public final GaugeDataPoint scrapesInFlight = Gauge.builder()
            .name("promhttp_metric_handler_requests_in_flight")
            .help("Scrapes that are being served.")
            .register(registry);

    // With labels

    private final Counter scrapes =
            labelled("promhttp_metric_handler_requests_total", "Scrapes by HTTP status code.", "code");
    private final Histogram requestDuration = labelled(
            "etcd_server_request_duration_seconds", "Time from request to result.", 0.001, 14, "success", "type");
    private final Histogram applyDuration = labelled(
            "etcd_server_apply_duration_seconds", "Time to apply a command.", 0.0001, 20, "op", "success", "version");
    private final Histogram rangeDuration =
            labelled("etcd_server_range_duration_seconds", "Time of one range read.", 0.0001, 20, "success");
    private final Counter clientRequests =
            labelled("etcd_server_client_requests_total", "Calls that were accepted.", "client_api_version", "type");
    private final Gauge serverId = gauge("etcd_server_id", "This member's id; always 1.", "server_id");
    private final Gauge serverVersion = gauge("etcd_server_version", "Version; always 1.", "server_version");
    private final Gauge goVersion =
            gauge("etcd_server_go_version", "What the program runs on; always 1.", "server_go_version");
    private final Gauge clusterVersion =
            gauge("etcd_cluster_version", "1 for the cluster's version, 0 for earlier ones.", "cluster_version");
    private final Gauge healthCheck =
            gauge("etcd_server_healthcheck", "1 if the check passed when it last ran, else 0.", "name", "type");
    private final Counter healthChecks =
            labelled("etcd_server_healthchecks_total", "Runs of a check.", "name", "status", "type");

    final Counter grpcStarted = labelled("grpc_server_started_total", "Calls that began.", GrpcMetrics.LABELS);
    final Counter grpcHandled =
            labelled("grpc_server_handled_total", "Calls that ended, by status code.", GrpcMetrics.LABELS_AND_CODE);
    final Counter grpcReceived =
            labelled("grpc_server_msg_received_total", "Messages received from clients.", GrpcMetrics.LABELS);
    final Counter grpcSent = labelled("grpc_server_msg_sent_total", "Messages sent to clients.", GrpcMetrics.LABELS);

    private final ConcurrentHashMap<String, ClientRequests> requestsByVersion = new ConcurrentHashMap<>();
    private final ClientRequests unknownVersion = new ClientRequests("unknown");

    public Metrics() {
        serverVersion.labelValues(Version.ETCD).set(1);
        goVersion.labelValues("java" + Runtime.version().feature()).set(1);
        for (String code : new String[] {"200", "500", "503"}) {
            scrapes.initLabelValues(code);
        }
        compactRevision.follow(() -> -1);
        new RuntimeMetrics(registry).register();
    }

    /** The families for the reference page, sorted by name. */
    List<MetricSnapshot> families() {
        return registry.scrape().stream().toList();
    }

    /** The names of a family's labels. */
    List<String> labels(String family) {
        return labels.getOrDefault(family, List.of());
    }

    /** All of it, as Prometheus text of type {@link #CONTENT_TYPE}. Asks every source, so not on an event loop. */
    public String text() {
        return MetricsText.write(registry.scrape());
    }

    /** Nanoseconds as a histogram takes them. */
    public static double seconds(long nanos) {
        return nanos / 1e9;
    }

    /** The series of one kind of request: {@code Put}, {@code Range}, …. To be kept. */
    public DistributionDataPoint requestDuration(String type, boolean success) {
        return requestDuration.labelValues(Boolean.toString(success), type);
    }

    /** The series of one kind of command. To be kept. */
    public DistributionDataPoint applyDuration(String op, boolean success) {
        return applyDuration.labelValues(op, Boolean.toString(success), "v3");
    }

    /** The series of range reads. To be kept. */
    public DistributionDataPoint rangeDuration(boolean success) {
        return rangeDuration.labelValues(Boolean.toString(success));
    }

    /** Counts one accepted call; {@code apiVersion} is what the client said in its headers. */
    public void clientRequest(boolean stream, @Nullable String apiVersion) {
        ClientRequests requests = unknownVersion;
        if (apiVersion != null) {
            ClientRequests known = requestsByVersion.get(apiVersion);
            if (known == null && requestsByVersion.size() < MAX_CLIENT_VERSIONS) {
                known = requestsByVersion.computeIfAbsent(apiVersion, ClientRequests::new);
            }
            requests = known == null ? unknownVersion : known;
        }
        (stream ? requests.stream : requests.unary).inc();
    }

    /** Tells which member this is; the id's text form. */
    public void serverId(String id) {
        serverId.labelValues(id).set(1);
    }

    /** Tells the cluster's version, as {@link Version#CLUSTER} writes it. */
    public void clusterVersion(String version) {
        clusterVersion
                .collect()
                .getDataPoints()
                .forEach(point -> clusterVersion
                        .labelValues(point.getLabels().getValue(0))
                        .set(0));
        clusterVersion.labelValues(version).set(1);
    }

    /** Counts one run of a check of {@code livez} or {@code readyz}. */
    public void healthCheck(String type, String name, boolean passed) {
        healthCheck.labelValues(name, type).set(passed ? 1 : 0);
        healthChecks.labelValues(name, passed ? "success" : "error", type).inc();
    }

    /** Counts one answered scrape. */
    public void scraped(int status) {
        scrapes.labelValues(Integer.toString(status)).inc();
    }

    private LiveGauge live(String name, String help) {
        return new LiveGauge(registry, name, help);
    }

    private LiveCounter read(String name, String help) {
        return new LiveCounter(registry, name, help);
    }

    private CounterDataPoint counter(String name, String help) {
        return Counter.builder().name(name).help(help).register(registry);
    }

    private Counter labelled(String name, String help, String... labels) {
        this.labels.put(name, List.of(labels));
        return Counter.builder().name(name).help(help).labelNames(labels).register(registry);
    }

    private Gauge gauge(String name, String help, String... labels) {
        this.labels.put(name, List.of(labels));
        return Gauge.builder().name(name).help(help).labelNames(labels).register(registry);
    }

    private DistributionDataPoint histogram(String name, String help, double start, int bounds) {
        return labelled(name, help, start, bounds);
    }

    /** A histogram whose bounds double from {@code start} on. */
    private Histogram labelled(String name, String help, double start, int bounds, String... labels) {
        this.labels.put(name, List.of(labels));
        return Histogram.builder()
                .name(name)
                .help(help)
                .classicOnly()
                .classicUpperBounds(doubling(start, bounds))
                .labelNames(labels)
                .register(registry);
    }

    private static double[] doubling(double start, int count) {
        double[] bounds = new double[count];
        double bound = start;
        for (int i = 0; i < count; i++) {
            bounds[i] = bound;
            bound *= 2;
        }
        return bounds;
    }

    /** The two series of one client version. */
    private final class ClientRequests {
        final CounterDataPoint unary;
        final CounterDataPoint stream;

        ClientRequests(String version) {
            unary = clientRequests.labelValues(version, "unary");
            stream = clientRequests.labelValues(version, "stream");
        }
    }
}
