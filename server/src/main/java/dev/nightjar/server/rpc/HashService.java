/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import dev.nightjar.api.etcdserverpb.AlarmMember;
import dev.nightjar.api.etcdserverpb.HashKVRequest;
import dev.nightjar.api.etcdserverpb.HashKVResponse;
import dev.nightjar.api.etcdserverpb.HashRequest;
import dev.nightjar.api.etcdserverpb.HashResponse;
import dev.nightjar.api.etcdserverpb.Member;
import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.mvcc.FutureRevisionException;
import dev.nightjar.core.mvcc.KvHash;
import dev.nightjar.core.mvcc.RevisionCompactedException;
import dev.nightjar.server.node.Node;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.zip.CRC32C;

/** Digests of this member's state, to compare members. Calls begin and end on their loops; the work has a thread of its own. */
final class HashService {
    private final Node node;
    private final HeaderWriter headers;

    HashService(Node node, HeaderWriter headers) {
        this.node = node;
        this.headers = headers;
    }

    /** {@code Maintenance.HashKV}. */
    void hashKv(UnaryCall call, ByteBuf message) {
        try {
            HashKVRequest request = HashKVRequest.parseFrom(message.nioBuffer());
            answer(call, canceled -> {
                long begunNanos = System.nanoTime();
                KvHash hash = node.store().hash(request.getRevision(), canceled);
                node.observer().hashedRevision(System.nanoTime() - begunNanos);
                return hashKv(hash);
            });
        } catch (InvalidProtocolBufferException e) {
            call.finish(Messages.malformed(e));
        }
    }

    private MessageLite hashKv(KvHash hash) {
        return HashKVResponse.newBuilder()
                .setHeader(headers.message(node.store().publishedRevision()))
                .setHash(hash.hash())
                .setCompactRevision(hash.compactedRevision())
                .setHashRevision(hash.revision())
                .build();
    }

    /** {@code Maintenance.Hash}: of all that is replicated, keys, members and alarms. */
    void hash(UnaryCall call, ByteBuf message) {
        Status malformed = Messages.check(HashRequest.parser(), ByteBufUtil.getBytes(message));
        if (malformed != null) {
            call.finish(malformed);
            return;
        }
        answer(call, canceled -> {
            long begunNanos = System.nanoTime();
            KvHash keys = node.store().hash(0, canceled);
            CRC32C crc = new CRC32C();
            crc.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, keys.hash()));
            node.members().all().stream()
                    .sorted(Comparator.comparingLong(Member::getID))
                    .forEach(member -> crc.update(member.toByteArray()));
            node.alarms().all().stream()
                    .sorted(Comparator.comparingLong(AlarmMember::getMemberID)
                            .thenComparingInt(AlarmMember::getAlarmValue))
                    .forEach(alarm -> crc.update(alarm.toByteArray()));
            node.observer().hashed(System.nanoTime() - begunNanos);
            return HashResponse.newBuilder()
                    .setHeader(headers.message(keys.revision()))
                    .setHash((int) crc.getValue())
                    .build();
        });
    }

    /** Has the hash computed, unless the client goes away or the member ends, and answers. */
    private void answer(UnaryCall call, Function<BooleanSupplier, MessageLite> compute) {
        AtomicBoolean gone = new AtomicBoolean();
        call.whenGone(() -> gone.set(true));
        BooleanSupplier canceled = () -> gone.get() || node.isClosing();
        try {
            node.hashes().execute(() -> {
                Runnable answer = computed(call, canceled, compute);
                call.raw().loop().execute(answer);
            });
        } catch (RejectedExecutionException e) {
            call.fail(node.isClosing() ? ApiError.STOPPED : ApiError.TOO_MANY_REQUESTS);
        }
    }

    private static Runnable computed(
            UnaryCall call, BooleanSupplier canceled, Function<BooleanSupplier, MessageLite> compute) {
        try {
            if (canceled.getAsBoolean()) {
                return () -> call.fail(ApiError.STOPPED);
            }
            MessageLite response = compute.apply(canceled);
            return () -> call.step(() -> call.reply(Messages.frame(call.raw(), response)));
        } catch (CancellationException e) {
            // A client that is gone hears nothing of this; the others are told that the member ends.
            return () -> call.fail(ApiError.STOPPED);
        } catch (RevisionCompactedException e) {
            return () -> call.fail(ApiError.COMPACTED);
        } catch (FutureRevisionException e) {
            return () -> call.fail(ApiError.FUTURE_REVISION);
        } catch (RuntimeException | Error e) {
            return () -> call.broken(e);
        }
    }
}
