/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.api.health.HealthCheckRequest;
import dev.nightjar.api.health.HealthCheckResponse;
import dev.nightjar.api.health.HealthCheckResponse.ServingStatus;
import dev.nightjar.api.health.HealthGrpc;
import org.junit.jupiter.api.Test;

/** The health service is fixed by gRPC, not by etcd: names and bytes as every gRPC health client sends them. */
class HealthApiTest {

    @Test
    void methodsHaveTheStandardPaths() {
        assertThat(HealthGrpc.getCheckMethod().getFullMethodName()).isEqualTo("grpc.health.v1.Health/Check");
        assertThat(HealthGrpc.getWatchMethod().getFullMethodName()).isEqualTo("grpc.health.v1.Health/Watch");
    }

    @Test
    void messagesHaveTheStandardBytes() {
        assertThat(HealthCheckRequest.newBuilder().setService("a").build().toByteArray())
                .containsExactly(0x0a, 1, 'a');
        assertThat(HealthCheckResponse.newBuilder()
                        .setStatus(ServingStatus.SERVICE_UNKNOWN)
                        .build()
                        .toByteArray())
                .containsExactly(0x08, 3);
        assertThat(ServingStatus.UNKNOWN.getNumber()).isZero();
        assertThat(ServingStatus.SERVING.getNumber()).isEqualTo(1);
        assertThat(ServingStatus.NOT_SERVING.getNumber()).isEqualTo(2);
    }
}
