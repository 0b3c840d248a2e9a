/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

/**
 * How large a request is by etcd's measure, which {@code --max-request-bytes} limits: the bytes of the entry that etcd
 * would write to its log. Stateless.
 *
 * <pre>
 * header  { tag 2, length 1, ID { tag 1, varint } }   ID: the member's id in the upper 16 bits, a time in the lower 48
 * request { tag 1, length varint, bytes }
 * </pre>
 */
final class RequestSize {
    private static final int HEADER_BYTES = 2 + 1 + 1;
    private static final int TAG_BYTES = 1;
    private static final int TIME_BITS = 48;

    /** Stands for any time: only for a member with 16 zeros there could the length depend on it. */
    private static final long SOME_TIME = 1L << (TIME_BITS - 1);

    private RequestSize() {}

    /** Bytes that a request of a member's client has besides its own. */
    static int envelopeBytes(long memberId, int requestBytes) {
        long requestId = memberId << TIME_BITS | SOME_TIME;
        return HEADER_BYTES + Proto.varintSize(requestId) + TAG_BYTES + Proto.varintSize(requestBytes);
    }
}
