/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import dev.nightjar.consensus.MemberId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.List;

/**
 * The ids of a new cluster, a pure function of its members' peer URLs and its token. A stateless helper.
 *
 * <p>Example: one member at {@code http://localhost:2380} with token {@code etcd-cluster} is {@code 8e9e05c52164694d} in
 * cluster {@code cdf818194e3a8c32}, here as with etcd.
 */
public final class MemberIds {
    private MemberIds() {}

    /** The first eight bytes of SHA-1 over the URLs, sorted and joined without separator, and the token. */
    public static MemberId memberId(List<ServerUrl> peerUrls, String token) {
        MessageDigest sha1 = sha1();
        for (String url : ServerUrl.texts(peerUrls).stream().sorted().toList()) {
            sha1.update(url.getBytes(StandardCharsets.UTF_8));
        }
        sha1.update(token.getBytes(StandardCharsets.UTF_8));
        return new MemberId(head(sha1));
    }

    /** The first eight bytes of SHA-1 over the member ids, in ascending unsigned order, big-endian. */
    public static long clusterId(Collection<MemberId> members) {
        MessageDigest sha1 = sha1();
        for (MemberId member : members.stream().sorted().toList()) {
            sha1.update(ByteBuffer.allocate(Long.BYTES).putLong(member.value()).array());
        }
        return head(sha1);
    }

    private static long head(MessageDigest digest) {
        return ByteBuffer.wrap(digest.digest()).getLong();
    }

    private static MessageDigest sha1() {
        try {
            return MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
