/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.util.Endpoint;
import dev.nightjar.consensus.MemberId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Names members for the engine, which thinks in hosts and ports: host {@code m<member id>}, port 1. */
final class PeerIds {
    private static final String PREFIX = "m";
    private static final int PORT = 1;

    private PeerIds() {}

    static PeerId peerOf(MemberId member) {
        return new PeerId(PREFIX + member, PORT);
    }

    static MemberId memberOf(PeerId peer) {
        return memberOf(peer.getEndpoint());
    }

    static MemberId memberOf(Endpoint endpoint) {
        return MemberId.parse(endpoint.getIp().substring(PREFIX.length()));
    }

    /** The member, or null for the engine's "nobody". */
    static @Nullable MemberId memberOrNull(@Nullable PeerId peer) {
        return peer == null || peer.isEmpty() ? null : memberOf(peer);
    }

    static Configuration configurationOf(List<MemberId> voters) {
        return new Configuration(voters.stream().map(PeerIds::peerOf).toList());
    }
}
