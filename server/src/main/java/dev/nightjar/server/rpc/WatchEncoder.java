/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.core.mvcc.Change;
import dev.nightjar.core.watch.EventBatch;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes WatchResponses in their wire form.
 *
 * <p>A response costs what it copies: {@link EventHead} and events go into the stream's buffer one after the other, without
 * objects in between. The KeyValue inside an event is stored in its wire form already.
 * Stateless; used on the loops.
 */
final class WatchEncoder {
    private static final int TAG_WATCH_ID = 0x10;
    private static final int TAG_CREATED = 0x18;
    private static final int TAG_CANCELED = 0x20;
    private static final int TAG_COMPACT_REVISION = 0x28;
    private static final int TAG_CANCEL_REASON = 0x32;
    private static final int TAG_EVENT = 0x5a;
    private static final int TAG_EVENT_TYPE = 0x08;
    private static final int TAG_EVENT_KV = 0x12;
    private static final int TAG_EVENT_PREVIOUS = 0x1a;
    private static final int TYPE_DELETE = 1;

    /** Beyond that a second copy costs more than encoding again. */
    private static final int MAX_SHARED_BYTES = 64 * 1024;

    private final HeaderWriter headers;

    WatchEncoder(HeaderWriter headers) {
        this.headers = headers;
    }

    /** Size of the header field of a response with this revision. */
    int headerBytes(long revision) {
        return headers.size(revision);
    }

    /** What a response without events says besides its header and id. */
    record Flags(boolean created, boolean canceled, long compactRevision, String reason) {
        static final Flags PROGRESS = new Flags(false, false, 0, "");
        static final Flags CREATED = new Flags(true, false, 0, "");
        static final Flags CANCELED = new Flags(false, true, 0, "");

        static Flags rejected(String reason) {
            return new Flags(true, true, 0, reason);
        }

        static Flags compacted(long revision) {
            return new Flags(false, true, revision, "");
        }
    }

    void control(ByteBuf out, long watchId, long revision, Flags flags) {
        int start = Proto.begin(out);
        headers.write(out, revision);
        Proto.writeVarintField(out, TAG_WATCH_ID, watchId);
        Proto.writeVarintField(out, TAG_CREATED, flags.created ? 1 : 0);
        Proto.writeVarintField(out, TAG_CANCELED, flags.canceled ? 1 : 0);
        Proto.writeVarintField(out, TAG_COMPACT_REVISION, flags.compactRevision);
        if (!flags.reason.isEmpty()) {
            Proto.writeBytesField(out, TAG_CANCEL_REASON, flags.reason.getBytes(StandardCharsets.UTF_8));
        }
        Proto.end(out, start);
    }

    /** What the responses with events of one stream begin with, as long as they tell this revision. */
    EventHead head(long revision) {
        return new EventHead(headers, revision);
    }

    /** @param head as {@link #head} made it; most responses of a turn have the same */
    void events(ByteBuf out, long watchId, EventHead head, EventBatch batch, boolean fragment) {
        byte[] shared = batch.encoded();
        if (shared != null) {
            head.write(out, watchId, fragment, shared.length);
            out.writeBytes(shared);
            return;
        }
        head.write(out, watchId, fragment, Math.toIntExact(batch.encodedBytes()));
        int from = out.writerIndex();
        part(out, batch);
        share(batch, out, from);
    }

    /** Writes events and nothing else. */
    void part(ByteBuf out, EventBatch batch) {
        for (int i = 0; i < batch.size(); i++) {
            event(out, batch.change(i), batch.previous(i));
        }
    }

    /** Leaves the encoded events for the other watchers that get the same ones in this turn. */
    private static void share(EventBatch batch, ByteBuf out, int from) {
        int length = out.writerIndex() - from;
        if (length <= MAX_SHARED_BYTES) {
            byte[] events = new byte[length];
            out.getBytes(from, events);
            batch.keepEncoded(events);
        }
    }

    private static void event(ByteBuf out, Change change, byte @Nullable [] previous) {
        byte[] keyValue = change.keyValue();
        int size = (change.delete() ? 2 : 0)
                + Proto.bytesFieldSize(keyValue.length)
                + (previous == null ? 0 : Proto.bytesFieldSize(previous.length));
        out.writeByte(TAG_EVENT);
        Proto.writeVarint(out, size);
        if (change.delete()) {
            out.writeByte(TAG_EVENT_TYPE);
            out.writeByte(TYPE_DELETE);
        }
        Proto.writeBytesField(out, TAG_EVENT_KV, keyValue);
        if (previous != null) {
            Proto.writeBytesField(out, TAG_EVENT_PREVIOUS, previous);
        }
    }
}
