/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.server.observe.Metrics;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.RejectedExecutionException;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpFrontendTest {
    private final FakeHealth health = new FakeHealth();
    private final Metrics metrics = new Metrics();
    private final HttpFrontend frontend = new HttpFrontend(health, metrics, Runnable::run);

    @Test
    void a_healthy_server_says_so_without_newline() {
        Answer answer = get("/health");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.contentType()).isEqualTo("text/plain; charset=utf-8");
        assertThat(answer.text()).isEqualTo("{\"health\":\"true\",\"reason\":\"\"}");
        assertThat(metrics.text()).contains("etcd_server_health_success 1\n", "etcd_server_health_failures 0\n");
    }

    @Test
    void an_alarm_makes_it_unhealthy_unless_excluded() {
        health.alarms.add("NOSPACE");

        assertThat(get("/health").status()).isEqualTo(503);
        assertThat(get("/health").text()).isEqualTo("{\"health\":\"false\",\"reason\":\"ALARM NOSPACE\"}\n");
        assertThat(get("/health?exclude=CORRUPT").status()).isEqualTo(503);
        assertThat(get("/health?exclude=CORRUPT&exclude=NOSPACE").status()).isEqualTo(200);
        assertThat(metrics.text()).contains("etcd_server_health_success 1\n", "etcd_server_health_failures 3\n");
    }

    @Test
    void an_alarm_of_a_new_kind_is_unknown() {
        health.alarms.add("FIRE");

        assertThat(get("/health").text()).isEqualTo("{\"health\":\"false\",\"reason\":\"ALARM UNKNOWN\"}\n");
    }

    @Test
    void without_leader_only_a_local_read_is_healthy() {
        health.leader = false;
        health.linearizableError = "etcdserver: no leader";

        assertThat(get("/health").text()).isEqualTo("{\"health\":\"false\",\"reason\":\"RAFT NO LEADER\"}\n");
        assertThat(get("/health?serializable=true").status()).isEqualTo(200);
    }

    @Test
    void a_failed_read_is_told() {
        health.linearizableError = "etcdserver: request \"x\" timed out";

        Answer answer = get("/health");

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.text())
                .isEqualTo(
                        "{\"health\":\"false\",\"reason\":\"RANGE ERROR:etcdserver: request \\\"x\\\" timed out\"}\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/health", "/version", "/livez", "/readyz", "/readyz/non_learner"})
    void other_methods_than_get_are_refused(String path) {
        Answer answer = call("POST", path);

        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.headers()).containsEntry("Allow", "GET");
        assertThat(answer.text()).isEqualTo("Method Not Allowed\n");
    }

    @Test
    void livez_and_readyz_are_terse_unless_asked() {
        assertThat(get("/livez").text()).isEqualTo("ok\n");
        assertThat(get("/readyz").text()).isEqualTo("ok\n");
        assertThat(get("/livez?verbose").text()).isEqualTo("[+]serializable_read ok\nok\n");
        assertThat(get("/readyz?verbose=0").text()).isEqualTo("""
                        [+]data_corruption ok
                        [+]serializable_read ok
                        [+]linearizable_read ok
                        [+]non_learner ok
                        ok
                        """);
    }

    @Test
    void a_failed_check_is_listed_with_the_others() {
        health.linearizableError = "etcdserver: leader changed";
        health.alarms.add("CORRUPT");

        Answer answer = get("/readyz");

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.text()).isEqualTo("""
                        [-]data_corruption failed: alarm activated: CORRUPT
                        [+]serializable_read ok
                        [-]linearizable_read failed: etcdserver: leader changed
                        [+]non_learner ok

                        """);
        assertThat(get("/livez").status()).isEqualTo(200);
        assertThat(get("/readyz?exclude=linearizable_read&exclude=data_corruption&exclude=nope")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void a_single_check_has_its_own_path() {
        health.learner = true;

        assertThat(get("/readyz/non_learner").status()).isEqualTo(503);
        assertThat(get("/readyz/serializable_read?verbose").text()).isEqualTo("[+]serializable_read ok\nok\n");
        assertThat(get("/livez/non_learner").status()).isEqualTo(404);
        assertThat(metrics.text())
                .contains("etcd_server_healthcheck{name=\"non_learner\",type=\"readyz\"} 0\n")
                .contains("etcd_server_healthchecks_total{name=\"serializable_read\",status=\"success\","
                        + "type=\"readyz\"} 1\n");
    }

    @Test
    void an_answer_waits_for_the_slowest_check() {
        health.hold();

        Answer answer = get("/readyz");

        assertThat(answer.sent()).isFalse();
        health.release();
        assertThat(answer.status()).isEqualTo(200);
    }

    @Test
    void a_read_that_breaks_is_an_answer_too() {
        health.fail();

        assertThat(get("/health").text()).contains("RANGE ERROR:", "closed");
        assertThat(get("/readyz").text()).contains("[-]linearizable_read failed: ", "closed");
    }

    @Test
    void the_version_tells_server_cluster_and_storage() {
        assertThat(get("/version").text())
                .isEqualTo("{\"etcdserver\":\"3.7.3\",\"etcdcluster\":\"3.7.0\",\"storage\":\"3.7.0\"}");
        assertThat(get("/version").contentType()).isEqualTo("application/json");

        health.clusterVersion = null;
        assertThat(get("/version").text())
                .isEqualTo("{\"etcdserver\":\"3.7.3\",\"etcdcluster\":\"not_decided\",\"storage\":\"unknown\"}");
    }

    @Test
    void metrics_are_text_and_count_themselves() {
        Answer answer = get("/metrics");

        assertThat(answer.contentType()).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
        assertThat(answer.text())
                .contains("etcd_server_version{server_version=\"3.7.3\"} 1\n")
                .contains("promhttp_metric_handler_requests_in_flight 1\n")
                .contains("promhttp_metric_handler_requests_total{code=\"200\"} 0\n");
        assertThat(get("/metrics").text())
                .contains("promhttp_metric_handler_requests_total{code=\"200\"} 1\n")
                .contains("promhttp_metric_handler_requests_in_flight 1\n");
    }

    @Test
    void metrics_are_compressed_for_who_accepts_that() throws IOException {
        Answer answer = new Answer("GET", "/metrics");
        answer.requestHeader("accept-encoding", "br, gzip;q=0.5");
        frontend.handle(answer);

        assertThat(answer.headers()).containsEntry("Content-Encoding", "gzip");
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(answer.body()))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).contains("etcd_server_has_leader 0\n");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "gzip; true",
                "deflate, gzip; true",
                "'gzip;q=1'; true",
                "'gzip; q=0'; false",
                "'gzip;q=0.0'; false"
            })
    void the_list_of_encodings_is_read(String accepted, boolean gzip) {
        assertThat(MetricsPage.acceptsGzip(accepted)).isEqualTo(gzip);
        assertThat(MetricsPage.acceptsGzip("xgzip, *")).isFalse();
    }

    @Test
    void a_source_that_fails_is_an_answer_too() {
        metrics.watchers.follow(() -> {
            throw new IllegalStateException("gone");
        });

        assertThat(get("/metrics").status()).isEqualTo(500);
        assertThat(get("/metrics").text()).contains("gone");
    }

    @Test
    void scrapes_after_the_executor_has_closed_are_refused() {
        HttpFrontend closing = new HttpFrontend(health, metrics, _ -> {
            throw new RejectedExecutionException();
        });
        Answer answer = new Answer("GET", "/metrics");
        closing.handle(answer);

        assertThat(answer.status()).isEqualTo(503);
    }

    @Test
    void any_other_path_is_not_found() {
        for (String path : new String[] {"/", "/v2/keys", "/healthz", "/health/", "/livez/", "/config/local/log"}) {
            Answer answer = get(path);
            assertThat(answer.status()).as(path).isEqualTo(404);
            assertThat(answer.text()).isEqualTo("404 page not found\n");
        }
    }

    @Test
    void every_answer_lets_pages_of_other_origins_in() {
        for (String path : new String[] {"/health", "/metrics", "/nope"}) {
            assertThat(get(path).headers())
                    .containsEntry("Access-Control-Allow-Origin", "*")
                    .containsEntry("Access-Control-Allow-Methods", "POST, GET, OPTIONS, PUT, DELETE")
                    .containsEntry("Access-Control-Allow-Headers", "accept, content-type, authorization");
        }
        Answer options = call("OPTIONS", "/v3/kv/put");
        assertThat(options.status()).isEqualTo(200);
        assertThat(options.body()).isEmpty();
    }

    private Answer get(String target) {
        return call("GET", target);
    }

    private Answer call(String method, String target) {
        Answer answer = new Answer(method, target);
        frontend.handle(answer);
        return answer;
    }
}
