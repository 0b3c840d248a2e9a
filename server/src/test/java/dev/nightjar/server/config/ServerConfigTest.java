/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerConfigTest {

    @Test
    void without_flags_it_is_etcds_default() throws ConfigException {
        ServerConfig config = ServerConfig.of(Map.of());

        assertThat(config.member().name()).isEqualTo("default");
        assertThat(config.member().dataDir()).hasToString("default.etcd");
        assertThat(ServerUrl.join(config.client().listenUrls())).isEqualTo("http://localhost:2379");
        assertThat(ServerUrl.join(config.client().advertiseUrls())).isEqualTo("http://localhost:2379");
        assertThat(ServerUrl.join(config.peer().listenUrls())).isEqualTo("http://localhost:2380");
        assertThat(config.cluster().initial().text()).isEqualTo("default=http://localhost:2380");
        assertThat(config.cluster().state()).isEqualTo(ServerConfig.ClusterState.NEW);
        assertThat(config.raft())
                .isEqualTo(new ServerConfig.Raft(Duration.ofMillis(100), Duration.ofSeconds(1), 10_000));
        assertThat(config.storage())
                .isEqualTo(new ServerConfig.Storage(
                        0,
                        true,
                        new ServerConfig.Compaction(ServerConfig.CompactionMode.PERIODIC, 0, 0, Duration.ZERO)));
        assertThat(config.storage().quotaBytes()).isEqualTo(2_147_483_648L);
        assertThat(config.requests()).isEqualTo(new ServerConfig.Requests(1_572_864, 128, Duration.ofMinutes(10)));
        assertThat(config.client().grpc())
                .isEqualTo(new ServerConfig.Grpc(
                        Duration.ofSeconds(5), Duration.ofHours(2), Duration.ofSeconds(20), 4_294_967_295L));
        assertThat(config.log())
                .isEqualTo(new ServerConfig.Log(LogLevel.INFO, ServerConfig.LogFormat.JSON, List.of("stderr")));
    }

    @Test
    void a_name_alone_changes_directory_and_cluster() throws ConfigException {
        ServerConfig config =
                ServerConfig.of(Map.of("name", "a", "initial-advertise-peer-urls", "http://h:1,http://h:2"));

        assertThat(config.member().dataDir()).hasToString("a.etcd");
        assertThat(config.cluster().initial().text()).isEqualTo("a=http://h:1,a=http://h:2");
    }

    @Test
    void a_quota_below_zero_is_none() throws ConfigException {
        assertThat(ServerConfig.of(Map.of("quota-backend-bytes", "-1"))
                        .storage()
                        .quotaBytes())
                .isEqualTo(Long.MAX_VALUE);
        assertThat(ServerConfig.of(Map.of("quota-backend-bytes", "53248"))
                        .storage()
                        .quotaBytes())
                .isEqualTo(53_248);
    }

    @ParameterizedTest
    @CsvSource({
        "periodic, '', 0",
        "periodic, 0, 0",
        "periodic, 0h, 0",
        "periodic, 5, 18000000000000",
        "periodic, +05, 18000000000000",
        "periodic, 90m, 5400000000000",
        "periodic, 1.5h, 5400000000000",
        "periodic, 2562047, 9223369200000000000",
        "revision, 1000, 1000",
        "revision, 9223372036854775807, 9223372036854775807",
        "revision, 5us, 5000"
    })
    void retention_is_a_time_or_a_number_of_revisions(String mode, String text, long retention) throws ConfigException {
        ServerConfig.Compaction compaction = ServerConfig.of(
                        Map.of("auto-compaction-mode", mode, "auto-compaction-retention", text))
                .storage()
                .compaction();
        assertThat(compaction.mode().text()).isEqualTo(mode);
        assertThat(compaction.retention()).isEqualTo(retention);
    }

    @ParameterizedTest
    @CsvSource({"0s, PT10M", "-1s, PT10M", "10ms, PT0.1S", "100ms, PT0.1S", "3s, PT3S"})
    void the_progress_interval_has_a_floor(String text, Duration interval) throws ConfigException {
        assertThat(ServerConfig.of(Map.of("watch-progress-notify-interval", text))
                        .requests()
                        .watchProgressNotifyInterval())
                .isEqualTo(interval);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "listen-peer-urls=http://example.com:1; expected IP in URL for binding (http://example.com:1)",
                "listen-client-urls=http://:1; expected IP in URL for binding (http://:1)",
                "listen-client-urls=http://127.0.0.1:1;"
                        + "--advertise-client-urls is required when --listen-client-urls is set explicitly",
                "initial-advertise-peer-urls=http://:2380; --initial-advertise-peer-urls \"http://:2380\" must be"
                        + " \"host:port\" (unexpected empty host (http://:2380))",
                "advertise-client-urls=http://:2379; --advertise-client-urls \"http://:2379\" must be in the format"
                        + " \"host:port\", \"unix:/path/to/socket\" or \"unixs:/path/to/socket\""
                        + " (unexpected empty host (http://:2379))",
                "heartbeat-interval=0; --heartbeat-interval must be >0 (set to 0ms)",
                "election-timeout=0; --election-timeout must be >0 (set to 0ms)",
                "election-timeout=499; --election-timeout[499ms] should be at least as 5 times as"
                        + " --heartbeat-interval[100ms]",
                "election-timeout=50001; --election-timeout[50001ms] is too long, and should be set less than 50000ms",
                "auto-compaction-mode=foo; unknown auto-compaction-mode \"foo\"",
                "auto-compaction-mode=; undefined auto-compaction-mode",
                "auto-compaction-retention=x; error parsing CompactionRetention: time: invalid duration \"x\"",
                "auto-compaction-retention=1d;"
                        + "error parsing CompactionRetention: time: unknown unit \"d\" in duration \"1d\"",
                "auto-compaction-retention=-1;"
                        + "error parsing CompactionRetention: time: missing unit in duration \"-1\"",
                "auto-compaction-retention=1.5;"
                        + "error parsing CompactionRetention: time: missing unit in duration \"1.5\"",
                "auto-compaction-retention=-1h; --auto-compaction-retention must not be negative (set to -1h)",
                "auto-compaction-retention=2562048; --auto-compaction-retention is too long (set to 2562048)",
                "log-format=xml; unknown log format: xml, supported values json, console",
                "log-level=loud; unrecognized level: \"loud\"",
                "initial-cluster=a; 'error setting up initial cluster: URL scheme must be http, https, unix, or unixs: '",
                "max-request-bytes=2146959360; --max-request-bytes must be at most 2146959359 (set to 2146959360)",
                "nope=1; flag provided but not defined: -nope",
            })
    void what_does_not_fit_is_refused_in_etcds_words(String flags, String message) {
        assertThatThrownBy(() -> config(flags))
                .isInstanceOf(ConfigException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "listen-peer-urls=http://[::1]:1",
                "listen-peer-urls=http://[fe80::1%eth0]:1",
                "listen-peer-urls=http://0.0.0.0:0",
                "listen-peer-urls=unix://localhost:20000",
                "election-timeout=500",
                "election-timeout=50000",
                "max-request-bytes=2146959359",
                "log-level=DEBUG",
            })
    void what_is_just_within_its_limit_is_taken(String flags) throws ConfigException {
        assertThat(config(flags)).isNotNull();
    }

    @Test
    void log_outputs_are_named_once_each() throws ConfigException {
        assertThat(ServerConfig.of(Map.of("log-outputs", "default,stderr,/tmp/x"))
                        .log()
                        .outputs())
                .containsExactly("stderr", "/tmp/x");
        assertThatThrownBy(() -> ServerConfig.of(Map.of("log-outputs", "systemd/journal")))
                .hasMessageContaining("unknown log output");
    }

    private static ServerConfig config(String flags) throws ConfigException {
        Map<String, String> map = new HashMap<>();
        int equals = flags.indexOf('=');
        map.put(flags.substring(0, equals), flags.substring(equals + 1));
        return ServerConfig.of(map);
    }
}
