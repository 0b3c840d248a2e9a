/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowResponse;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.nightjar.consensus.Transport;
import dev.nightjar.consensus.Transport.Lane;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The engine's messages as bytes: CRC32C of the rest (4 bytes), number of the kind (1 byte), protobuf. The checksum is there
 * because TCP's is weak and entries travel far.
 */
final class PeerMessages {
    private static final int HEADER_BYTES = 5;

    private PeerMessages() {}

    /** The kinds of message. The numbers are the wire format: never reuse one. */
    private enum Kind {
        ERROR_RESPONSE(0, ErrorResponse.getDefaultInstance(), Lane.CONTROL),
        APPEND_ENTRIES(1, AppendEntriesRequest.getDefaultInstance(), Lane.LOG),
        APPEND_ENTRIES_RESPONSE(2, AppendEntriesResponse.getDefaultInstance(), Lane.LOG),
        REQUEST_VOTE(3, RequestVoteRequest.getDefaultInstance(), Lane.CONTROL),
        REQUEST_VOTE_RESPONSE(4, RequestVoteResponse.getDefaultInstance(), Lane.CONTROL),
        TIMEOUT_NOW(5, TimeoutNowRequest.getDefaultInstance(), Lane.CONTROL),
        TIMEOUT_NOW_RESPONSE(6, TimeoutNowResponse.getDefaultInstance(), Lane.CONTROL),
        READ_INDEX(7, ReadIndexRequest.getDefaultInstance(), Lane.CONTROL),
        READ_INDEX_RESPONSE(8, ReadIndexResponse.getDefaultInstance(), Lane.CONTROL),
        INSTALL_SNAPSHOT(9, InstallSnapshotRequest.getDefaultInstance(), Lane.FILES),
        INSTALL_SNAPSHOT_RESPONSE(10, InstallSnapshotResponse.getDefaultInstance(), Lane.FILES),
        GET_FILE(11, GetFileRequest.getDefaultInstance(), Lane.FILES),
        GET_FILE_RESPONSE(12, GetFileResponse.getDefaultInstance(), Lane.FILES);

        private static final Map<Class<?>, Kind> BY_CLASS = new HashMap<>();
        private static final Kind[] BY_NUMBER = values();

        static {
            for (Kind kind : BY_NUMBER) {
                BY_CLASS.put(kind.example.getClass(), kind);
            }
        }

        private final byte number;
        private final Message example;
        private final Lane lane;

        Kind(int number, Message example, Lane lane) {
            this.number = (byte) number;
            this.example = example;
            this.lane = lane;
        }

        static Kind of(Message message) {
            Kind kind = BY_CLASS.get(message.getClass());
            if (kind == null) {
                throw new IllegalArgumentException("the engine never sends " + message.getClass());
            }
            return kind;
        }
    }

    /** The lane on which a request travels. */
    static Lane laneOf(Message request) {
        return Kind.of(request).lane;
    }

    static ByteBuffer encode(Message message) {
        int size = message.getSerializedSize();
        if (size + HEADER_BYTES > Transport.MAX_MESSAGE_BYTES) {
            throw new IllegalArgumentException("message of " + size + " bytes");
        }
        byte[] bytes = new byte[HEADER_BYTES + size];
        bytes[4] = Kind.of(message).number;
        try {
            message.writeTo(CodedOutputStream.newInstance(bytes, HEADER_BYTES, size));
        } catch (IOException e) {
            throw new IllegalStateException("an array has no input or output errors", e);
        }
        return ByteBuffer.wrap(bytes).putInt(0, checksum(ByteBuffer.wrap(bytes)));
    }

    /** Reads a message; throws if a single bit is wrong. */
    static Message decode(ByteBuffer bytes) throws InvalidProtocolBufferException {
        ByteBuffer message = bytes.slice();
        if (message.remaining() < HEADER_BYTES || message.getInt(0) != checksum(message)) {
            throw new InvalidProtocolBufferException(
                    "message of " + message.remaining() + " bytes with a wrong checksum");
        }
        int number = message.get(4);
        if (number < 0 || number >= Kind.BY_NUMBER.length) {
            throw new InvalidProtocolBufferException("message of unknown kind " + number);
        }
        return Kind.BY_NUMBER[number].example.getParserForType().parseFrom(toInput(message));
    }

    private static CodedInputStream toInput(ByteBuffer message) {
        CodedInputStream input = CodedInputStream.newInstance(message.position(HEADER_BYTES));
        input.setSizeLimit(Transport.MAX_MESSAGE_BYTES);
        return input;
    }

    private static int checksum(ByteBuffer message) {
        CRC32C crc = new CRC32C();
        crc.update(message.slice(4, message.remaining() - 4));
        return (int) crc.getValue();
    }
}
