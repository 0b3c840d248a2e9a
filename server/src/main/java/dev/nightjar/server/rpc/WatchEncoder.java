/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.core.mvcc.Change;
import dev.nightjar.core.mvcc.ChangeSource;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes WatchResponses in their wire form.
 *
 * <p>A response costs what it copies: sizes are added up first, then header, ids and events go into the stream's buffer
 * one after the other, without objects in between. The KeyValue inside an event is stored in its wire form already.
 * Stateless; used on the loops.
 */
final class WatchEncoder {
    private static final int TAG_WATCH_ID = 0x10;
    private static final int TAG_CREATED = 0x18;
    private static final int TAG_CANCELED = 0x20;
    private static final int TAG_COMPACT_REVISION = 0x28;
    private static final int TAG_CANCEL_REASON = 0x32;
    private static final int TAG_FRAGMENT = 0x38;
    private static final int TAG_EVENT = 0x5a;
    private static final int TAG_EVENT_TYPE = 0x08;
    private static final int TAG_EVENT_KV = 0x12;
    private static final int TAG_EVENT_PREVIOUS = 0x1a;
    private static final int TYPE_DELETE = 1;

    private final HeaderWriter headers;
    private final ChangeSource history;

    WatchEncoder(HeaderWriter headers, ChangeSource history) {
        this.headers = headers;
        this.history = history;
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

    void events(ByteBuf out, EventBatch batch) {
        int start = Proto.begin(out);
        headers.write(out, batch.headerRevision);
        Proto.writeVarintField(out, TAG_WATCH_ID, batch.watchId);
        Proto.writeVarintField(out, TAG_FRAGMENT, batch.fragment ? 1 : 0);
        for (Change change : batch.changes) {
            event(out, change, batch.withPrevious);
        }
        Proto.end(out, start);
    }

    /** The arguments of one response with events. */
    record EventBatch(
            long watchId, long headerRevision, List<Change> changes, boolean withPrevious, boolean fragment) {}

    private void event(ByteBuf out, Change change, boolean withPrevious) {
        byte[] keyValue = change.keyValue();
        byte[] previous = withPrevious ? history.previous(change) : null;
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
