/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.consensus.MemberId;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemberIdsTest {

    @Test
    void a_lone_default_member_has_the_ids_known_from_etcd() throws ConfigException {
        InitialCluster cluster = ServerConfig.of(Map.of()).cluster().initial();

        assertThat(cluster.memberId("default")).isEqualTo(MemberId.parse("8e9e05c52164694d"));
        assertThat(Long.toHexString(cluster.clusterId())).isEqualTo("cdf818194e3a8c32");
    }

    @Test
    void the_local_tutorial_cluster_has_the_ids_known_from_etcd() throws ConfigException {
        InitialCluster cluster = InitialCluster.parse(
                "infra1=http://127.0.0.1:12380,infra2=http://127.0.0.1:22380,infra3=http://127.0.0.1:32380",
                "etcd-cluster-1");

        assertThat(cluster.memberId("infra1")).hasToString("8211f1d0f64f3269");
        assertThat(cluster.memberId("infra2")).hasToString("91bc3c398fb3c146");
        assertThat(cluster.memberId("infra3")).hasToString("fd422379fda50e48");
    }

    @Test
    void ids_depend_on_the_token_but_not_on_the_order_of_urls() throws ConfigException {
        MemberId one = MemberIds.memberId(ServerUrl.parseList("http://a:1,http://b:2"), "t");

        assertThat(MemberIds.memberId(ServerUrl.parseList("http://b:2,http://a:1"), "t"))
                .isEqualTo(one);
        assertThat(MemberIds.memberId(ServerUrl.parseList("http://b:2,http://a:1"), "u"))
                .isNotEqualTo(one);
    }
}
