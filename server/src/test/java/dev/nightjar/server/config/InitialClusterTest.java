/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

class InitialClusterTest {
    private static final InitialCluster.HostResolver NO_NAMES = Set::of;

    @Test
    void members_may_come_in_any_order_and_have_several_urls() throws ConfigException {
        InitialCluster cluster = InitialCluster.parse("b=http://h:2,a=http://h:3,,a=http://h:1", "t");

        assertThat(cluster.text()).isEqualTo("a=http://h:1,a=http://h:3,b=http://h:2");
        assertThat(cluster).isEqualTo(InitialCluster.parse("a=http://h:1,a=http://h:3,b=http://h:2", "t"));
    }

    @Test
    void a_member_must_be_in_the_list_of_a_new_cluster() throws ConfigException {
        InitialCluster cluster = InitialCluster.parse("a=http://h:1", "t");

        assertThatThrownBy(() -> cluster.checkMember("x", ServerUrl.parseList("http://h:1"), NO_NAMES))
                .hasMessage("couldn't find local name \"x\" in the initial cluster configuration");
    }

    @Test
    void no_url_stands_twice() throws ConfigException {
        InitialCluster cluster = InitialCluster.parse("a=http://h:1,b=http://h:1", "t");

        assertThatThrownBy(() -> cluster.checkMember("a", ServerUrl.parseList("http://h:1"), NO_NAMES))
                .hasMessage("initial cluster a=http://h:1,b=http://h:1 has duplicate url");
    }

    @Test
    void a_member_advertises_what_is_listed_for_it() throws ConfigException {
        InitialCluster cluster = InitialCluster.parse("a=http://h:1,a=http://h:2", "t");

        assertThatCode(() -> cluster.checkMember("a", ServerUrl.parseList("http://h:2,http://h:1"), NO_NAMES))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> cluster.checkMember("a", ServerUrl.parseList("http://h:1"), NO_NAMES))
                .hasMessage("--initial-cluster has a=http://h:2 but missing from"
                        + " --initial-advertise-peer-urls=http://h:1");
        assertThatThrownBy(() ->
                        cluster.checkMember("a", ServerUrl.parseList("http://h:1,http://h:2,http://h:3"), NO_NAMES))
                .hasMessage("--initial-advertise-peer-urls has http://h:3 but missing from"
                        + " --initial-cluster=a=http://h:1,a=http://h:2");
    }

    @Test
    void two_names_of_one_address_are_the_same_place() throws ConfigException {
        InitialCluster cluster = InitialCluster.parse("a=http://localhost:1", "t");
        InitialCluster.HostResolver resolver = host -> host.equals("other") ? Set.of("10.0.0.1") : Set.of("127.0.0.1");

        assertThatCode(() -> cluster.checkMember("a", ServerUrl.parseList("http://127.0.0.1:1"), resolver))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> cluster.checkMember("a", ServerUrl.parseList("http://other:1"), resolver))
                .hasMessageStartingWith("--initial-cluster has a=http://localhost:1 but missing");
        assertThatThrownBy(() -> cluster.checkMember("a", ServerUrl.parseList("http://127.0.0.1:2"), resolver))
                .hasMessageStartingWith("--initial-cluster has a=http://localhost:1 but missing");
    }
}
