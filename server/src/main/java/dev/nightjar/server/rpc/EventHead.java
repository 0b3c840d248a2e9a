/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * What stands before the events of a WatchResponse. Made once for all responses of a stream that tell the same revision:
 * from one watcher to the next only the id and the length change, so that a response is two copies, head and events.
 * Owned by one stream.
 *
 * <pre>
 *   flag, length | header field | watch id, fragment
 *   5 bytes      | fixed        | as many as they need
 * </pre>
 */
final class EventHead {
    private static final int TAG_WATCH_ID = 0x10;
    private static final int TAG_FRAGMENT = 0x38;
    private static final int FIXED_CAPACITY = Proto.PREFIX_BYTES + 64;
    private static final int MOST_BYTES_BEHIND = 1 + Proto.MAX_VARINT_BYTES + 2;

    private final ByteBuf head;
    private final int fixedBytes;

    EventHead(HeaderWriter headers, long revision) {
        head = Unpooled.buffer(FIXED_CAPACITY + MOST_BYTES_BEHIND);
        head.writeZero(Proto.PREFIX_BYTES);
        headers.write(head, revision);
        fixedBytes = head.writerIndex();
        head.ensureWritable(MOST_BYTES_BEHIND);
    }

    /** Writes the head of a response behind which so many bytes of events follow. */
    void write(ByteBuf out, long watchId, boolean fragment, int eventBytes) {
        byte[] bytes = head.array();
        int end = fixedBytes;
        if (watchId != 0) {
            bytes[end++] = TAG_WATCH_ID;
            end = Proto.putVarint(bytes, end, watchId);
        }
        if (fragment) {
            bytes[end++] = TAG_FRAGMENT;
            bytes[end++] = 1;
        }
        head.setInt(1, end - Proto.PREFIX_BYTES + eventBytes);
        out.writeBytes(bytes, 0, end);
    }
}
