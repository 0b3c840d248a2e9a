/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.nightjar.api.etcdserverpb.MemberListRequest;
import dev.nightjar.api.etcdserverpb.MemberListResponse;
import dev.nightjar.server.node.Node;
import io.netty.buffer.ByteBuf;

/** The Cluster service. Runs on the calls' loops. */
public final class ClusterService {
    private final Node node;
    private final HeaderWriter headers;

    public ClusterService(Node node, HeaderWriter headers) {
        this.node = node;
        this.headers = headers;
    }

    /** {@code Cluster.MemberList}; after a read barrier if the client wants the list linearizable. */
    void memberList(UnaryCall call, ByteBuf message) {
        MemberListRequest request;
        try {
            request = MemberListRequest.parseFrom(message.nioBuffer());
        } catch (InvalidProtocolBufferException e) {
            call.finish(Messages.malformed(e));
            return;
        }
        if (request.getLinearizable()) {
            call.afterReadBarrier(node, () -> replyMembers(call));
        } else {
            replyMembers(call);
        }
    }

    private void replyMembers(UnaryCall call) {
        // Headers of this service carry no revision.
        MemberListResponse response = MemberListResponse.newBuilder()
                .setHeader(headers.message(0))
                .addAllMembers(node.members().all())
                .build();
        call.reply(Messages.frame(call.raw(), response));
    }
}
