/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetricsTest {
    private static final String WATCH = "etcdserverpb.Watch/Watch";

    private final Metrics metrics = new Metrics();

    @Test
    void names_and_types_are_etcds_even_where_they_break_the_rules() {
        metrics.watchers.follow(() -> 3);
        metrics.proposalsCommitted.follow(() -> 7);
        metrics.healthSuccess.inc();

        assertThat(text())
                .contains("# TYPE etcd_debugging_mvcc_watcher_total gauge", "etcd_debugging_mvcc_watcher_total 3")
                .contains(
                        "# TYPE etcd_server_proposals_committed_total gauge", "etcd_server_proposals_committed_total 7")
                .contains("# TYPE etcd_server_health_success counter", "etcd_server_health_success 1")
                .contains("# TYPE etcd_server_proposals_failed_total counter", "etcd_server_proposals_failed_total 0");
    }

    @Test
    void versions_are_told_from_the_start() {
        metrics.serverId("8e9e05c52164694d");
        metrics.clusterVersion("3.6");
        metrics.clusterVersion("3.7");

        assertThat(text())
                .contains("etcd_server_version{server_version=\"3.7.3\"} 1")
                .contains("etcd_server_go_version{server_go_version=\"java25\"} 1")
                .contains("etcd_server_id{server_id=\"8e9e05c52164694d\"} 1")
                .contains("etcd_cluster_version{cluster_version=\"3.6\"} 0")
                .contains("etcd_cluster_version{cluster_version=\"3.7\"} 1");
    }

    @Test
    void what_other_layers_count_is_read_at_each_scrape() {
        AtomicLong puts = new AtomicLong(2);
        metrics.puts.follow(puts::get);

        assertThat(text()).contains("etcd_mvcc_put_total 2");
        puts.set(2_147_483_648L);
        assertThat(text()).contains("etcd_mvcc_put_total 2.147483648e+09");
    }

    @Test
    void without_compaction_the_compacted_revision_is_minus_one() {
        assertThat(text()).contains("etcd_debugging_mvcc_compact_revision -1");
    }

    @Test
    void histograms_count_into_etcds_buckets() {
        metrics.walFsyncDuration.observe(Metrics.seconds(1_500_000));
        metrics.walFsyncDuration.observe(60);
        metrics.requestDuration("Put", true).observe(0.01);

        assertThat(text())
                .contains(
                        "etcd_disk_wal_fsync_duration_seconds_bucket{le=\"0.001\"} 0",
                        "etcd_disk_wal_fsync_duration_seconds_bucket{le=\"0.002\"} 1",
                        "etcd_disk_wal_fsync_duration_seconds_bucket{le=\"8.192\"} 1",
                        "etcd_disk_wal_fsync_duration_seconds_bucket{le=\"+Inf\"} 2",
                        "etcd_disk_wal_fsync_duration_seconds_sum 60.0015",
                        "etcd_disk_wal_fsync_duration_seconds_count 2")
                .contains("etcd_server_request_duration_seconds_bucket{success=\"true\",type=\"Put\",le=\"0.016\"} 1");
        assertThat(text().filter(line -> line.startsWith("etcd_disk_wal_fsync_duration_seconds_bucket")))
                .hasSize(15);
    }

    @Test
    void a_served_method_has_all_its_series_at_zero_from_the_start() {
        new GrpcMetrics(metrics, List.of(method(WATCH, MethodDescriptor.MethodType.BIDI_STREAMING)));
        String labels = "grpc_method=\"Watch\",grpc_service=\"etcdserverpb.Watch\",grpc_type=\"bidi_stream\"} 0";

        assertThat(text())
                .contains("grpc_server_started_total{" + labels)
                .contains("grpc_server_msg_received_total{" + labels)
                .contains("grpc_server_msg_sent_total{" + labels)
                .contains("grpc_server_handled_total{grpc_code=\"OK\"," + labels)
                .contains("grpc_server_handled_total{grpc_code=\"Canceled\"," + labels);
        assertThat(text().filter(line -> line.startsWith("grpc_server_handled_total")))
                .hasSize(17);
    }

    @Test
    void calls_and_messages_are_counted() {
        GrpcMetrics grpc = new GrpcMetrics(metrics, List.of(method(WATCH, MethodDescriptor.MethodType.BIDI_STREAMING)));

        grpc.callStarted(WATCH);
        grpc.messageReceived(WATCH, 10);
        grpc.messagesSent(WATCH, 3, 70);
        grpc.callEnded(WATCH, Status.Code.CANCELLED, 5);

        String labels = "grpc_method=\"Watch\",grpc_service=\"etcdserverpb.Watch\",grpc_type=\"bidi_stream\"}";
        assertThat(text())
                .contains("grpc_server_started_total{" + labels + " 1")
                .contains("grpc_server_msg_received_total{" + labels + " 1")
                .contains("grpc_server_msg_sent_total{" + labels + " 3")
                .contains("grpc_server_handled_total{grpc_code=\"Canceled\"," + labels + " 1")
                .contains("etcd_network_client_grpc_received_bytes_total 10")
                .contains("etcd_network_client_grpc_sent_bytes_total 70");
    }

    @Test
    void a_method_that_is_not_served_does_no_harm() {
        GrpcMetrics grpc = new GrpcMetrics(metrics, List.of());

        grpc.callStarted("a/b");
        grpc.callEnded("a/b", Status.Code.OK, 1);

        assertThat(text()).noneMatch(line -> line.contains("grpc_method=\"b\""));
    }

    @ParameterizedTest
    @CsvSource({
        "OK, OK",
        "CANCELLED, Canceled",
        "INVALID_ARGUMENT, InvalidArgument",
        "DEADLINE_EXCEEDED, DeadlineExceeded",
        "DATA_LOSS, DataLoss",
        "UNAUTHENTICATED, Unauthenticated",
    })
    void status_codes_have_gos_names(Status.Code code, String name) {
        assertThat(GrpcMetrics.codeName(code)).isEqualTo(name);
    }

    @Test
    void client_versions_are_counted_apart_up_to_a_limit() {
        metrics.clientRequest(false, "3.5");
        metrics.clientRequest(true, null);
        for (int i = 0; i < 2 * Metrics.MAX_CLIENT_VERSIONS; i++) {
            metrics.clientRequest(false, "invented-" + i);
        }

        assertThat(text())
                .contains("etcd_server_client_requests_total{client_api_version=\"3.5\",type=\"unary\"} 1")
                .contains("etcd_server_client_requests_total{client_api_version=\"unknown\",type=\"stream\"} 1");
        assertThat(text().filter(line -> line.startsWith("etcd_server_client_requests_total{"))
                        .filter(line -> line.contains("unary")))
                .hasSize(Metrics.MAX_CLIENT_VERSIONS + 1);
    }

    @Test
    void labels_are_quoted() {
        metrics.healthCheck("livez", "a\"b\\c\nd", false);

        assertThat(text())
                .contains("etcd_server_healthcheck{name=\"a\\\"b\\\\c\\nd\",type=\"livez\"} 0")
                .contains("etcd_server_healthchecks_total{name=\"a\\\"b\\\\c\\nd\",status=\"error\",type=\"livez\"} 1");
    }

    @Test
    void two_servers_in_one_process_do_not_mix() {
        Metrics other = new Metrics();
        metrics.proposalsFailed.inc();

        assertThat(text()).contains("etcd_server_proposals_failed_total 1");
        assertThat(other.text()).contains("etcd_server_proposals_failed_total 0\n");
    }

    @Test
    void the_process_is_measured() {
        assertThat(value("process_resident_memory_bytes")).isGreaterThan(1_000_000);
        assertThat(value("process_open_fds")).isBetween(3.0, 100_000.0);
        assertThat(value("process_cpu_seconds_total")).isPositive();
        assertThat(value("process_start_time_seconds")).isGreaterThan(1.7e9);
        assertThat(value("go_goroutines")).isPositive();
        assertThat(value("go_memstats_heap_inuse_bytes")).isGreaterThan(1_000_000);
        assertThat(value("go_memstats_alloc_bytes_total")).isGreaterThan(1_000_000);
        assertThat(value("go_gc_duration_seconds_count")).isNotNegative();
    }

    private double value(String name) {
        return text().filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow();
    }

    private java.util.stream.Stream<String> text() {
        return metrics.text().lines();
    }

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodDescriptor.MethodType type) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setFullMethodName(name)
                .setType(type)
                .setRequestMarshaller(new Unused())
                .setResponseMarshaller(new Unused())
                .build();
    }

    /** The descriptors are only looked at, so nothing is ever encoded. */
    private static final class Unused implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            throw new AssertionError();
        }

        @Override
        public byte[] parse(InputStream stream) {
            throw new AssertionError();
        }
    }
}
