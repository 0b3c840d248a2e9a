/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.api.etcdserverpb.ResponseHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.function.LongSupplier;

/** Writes the header of every answer. Immutable but for the term it asks for; any thread. */
public final class HeaderWriter {
    private static final int TAG_HEADER = 0x0a;
    private static final int TAG_CLUSTER_ID = 0x08;
    private static final int TAG_MEMBER_ID = 0x10;
    private static final int TAG_REVISION = 0x18;
    private static final int TAG_TERM = 0x20;

    private final long clusterId;
    private final long memberId;
    private final byte[] ids;
    private final LongSupplier term;

    /** @param term the member's current term, asked for with each answer */
    public HeaderWriter(long clusterId, long memberId, LongSupplier term) {
        this.clusterId = clusterId;
        this.memberId = memberId;
        this.term = term;
        ByteBuf buffer = Unpooled.buffer();
        Proto.writeVarintField(buffer, TAG_CLUSTER_ID, clusterId);
        Proto.writeVarintField(buffer, TAG_MEMBER_ID, memberId);
        this.ids = ByteBufUtil.getBytes(buffer);
    }

    /** Writes the header as field 1 of the message under way. */
    void write(ByteBuf out, long revision) {
        long currentTerm = term.getAsLong();
        out.writeByte(TAG_HEADER);
        Proto.writeVarint(out, contentSize(revision, currentTerm));
        out.writeBytes(ids);
        Proto.writeVarintField(out, TAG_REVISION, revision);
        Proto.writeVarintField(out, TAG_TERM, currentTerm);
    }

    /** Bytes that {@link #write} adds. */
    int size(long revision) {
        return Proto.bytesFieldSize(contentSize(revision, term.getAsLong()));
    }

    private int contentSize(long revision, long currentTerm) {
        return ids.length
                + (revision == 0 ? 0 : 1 + Proto.varintSize(revision))
                + (currentTerm == 0 ? 0 : 1 + Proto.varintSize(currentTerm));
    }

    /** The header as a message, for answers that are built from messages. */
    ResponseHeader message(long revision) {
        return ResponseHeader.newBuilder()
                .setClusterId(clusterId)
                .setMemberId(memberId)
                .setRevision(revision)
                .setRaftTerm(term.getAsLong())
                .build();
    }
}
