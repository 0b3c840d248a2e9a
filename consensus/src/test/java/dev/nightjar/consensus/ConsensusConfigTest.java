/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.consensus.ConsensusConfig.Limits;
import dev.nightjar.consensus.ConsensusConfig.Timing;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConsensusConfigTest {

    @Test
    void an_election_takes_at_least_two_heartbeats() {
        assertThat(new Timing(Duration.ofMillis(200), Duration.ofMillis(100)).heartbeat())
                .isEqualTo(Duration.ofMillis(100));
        assertThatThrownBy(() -> new Timing(Duration.ofMillis(199), Duration.ofMillis(100)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Timing(Duration.ofMillis(100), Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void limits_are_themselves_limited() {
        assertThat(Limits.DEFAULT.proposalsInFlight()).isEqualTo(Limits.MAX_PROPOSALS_IN_FLIGHT);
        assertThatThrownBy(() -> new Limits(1 << 20, 0, 1, 100)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Limits(1 << 20, (128 << 20) + 1, 1, 1L << 40))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Limits(1 << 20, 100, 0, 100)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Limits(1 << 20, 100, Limits.MAX_PROPOSALS_IN_FLIGHT + 1, 100))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Limits(1 << 20, 100, 1, 99)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void member_ids_are_hex_without_padding() {
        assertThat(new MemberId(0xabcL)).hasToString("abc");
        assertThat(MemberId.parse("ffffffffffffffff")).isEqualTo(new MemberId(-1));
        assertThat(new MemberId(-1)).isGreaterThan(new MemberId(1));
    }
}
