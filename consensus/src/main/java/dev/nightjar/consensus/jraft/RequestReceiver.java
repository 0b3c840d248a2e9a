/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.rpc.Connection;
import com.alipay.sofa.jraft.rpc.RaftServerService;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowRequest;
import com.alipay.sofa.jraft.rpc.RpcResponseClosureAdapter;
import com.alipay.sofa.jraft.storage.FileService;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.consensus.Transport;
import dev.nightjar.consensus.Transport.Lane;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes requests of other members and gives them to the engine, off the transport's threads: those of one member's log lane
 * in order, all others at once.
 */
final class RequestReceiver implements Transport.Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(RequestReceiver.class);

    /** A leader has at most 256 requests under way; twice that leaves room for an old leader's. */
    static final int LOG_REQUESTS_PER_MEMBER = 512;

    /** Votes, barriers and chunks that are being answered; a cluster of seven needs a dozen. */
    static final int OTHER_REQUESTS = 256;

    /** Chunks of snapshot files; what members ask for, see EngineSettings. */
    static final int MAX_CHUNK_BYTES = 1 << 20;

    private final Executor executor;
    private final Map<MemberId, SerialExecutor> logLanes = new ConcurrentHashMap<>();
    private final Semaphore others = new Semaphore(OTHER_REQUESTS);
    private volatile @Nullable RaftServerService engine;

    RequestReceiver(Executor executor) {
        this.executor = executor;
    }

    /** Opens the door; requests before are refused. */
    void open(RaftServerService newEngine) {
        engine = newEngine;
    }

    /** Closes the door. */
    void close() {
        engine = null;
    }

    @Override
    public CompletableFuture<ByteBuffer> receive(MemberId from, Lane lane, ByteBuffer request) {
        Answer answer = new Answer();
        RaftServerService current = engine;
        if (current == null) {
            answer.refuse(RaftError.EHOSTDOWN, "not running");
            return answer.response;
        }
        try {
            switch (lane) {
                case LOG ->
                    logLanes.computeIfAbsent(from, id -> new SerialExecutor(executor, LOG_REQUESTS_PER_MEMBER))
                            .execute(() -> handle(current, from, request, answer));
                case CONTROL, FILES -> {
                    if (!others.tryAcquire()) {
                        throw new RejectedExecutionException("more than " + OTHER_REQUESTS + " requests");
                    }
                    var _ = answer.response.whenComplete((_, _) -> others.release());
                    executor.execute(() -> handle(current, from, request, answer));
                }
            }
        } catch (RejectedExecutionException e) {
            answer.refuse(RaftError.EBUSY, "busy");
        }
        return answer.response;
    }

    private void handle(RaftServerService current, MemberId from, ByteBuffer request, Answer answer) {
        try {
            Message response = dispatch(current, from, PeerMessages.decode(request), answer);
            if (response != null) {
                answer.sendResponse(response);
            }
        } catch (InvalidProtocolBufferException e) {
            LOG.warn("member {} sent nonsense", from, e);
            answer.refuse(RaftError.EREQUEST, "bad request");
        } catch (RuntimeException | Error e) {
            if (engine == null) {
                LOG.debug("a request of member {} came too late", from, e);
            } else {
                LOG.error("could not handle a request of member {}", from, e);
            }
            answer.refuse(RaftError.EINTERNAL, "internal error");
        }
    }

    /** Returns the response, or null if it comes through {@code answer} later. */
    private static @Nullable Message dispatch(RaftServerService engine, MemberId from, Message message, Answer answer) {
        RpcRequestClosure done = new RpcRequestClosure(answer);
        return switch (message) {
            case AppendEntriesRequest request -> {
                checkSender(from, request.getServerId());
                yield engine.handleAppendEntriesRequest(request, done);
            }
            case RequestVoteRequest request -> {
                checkSender(from, request.getServerId());
                yield request.getPreVote()
                        ? engine.handlePreVoteRequest(request)
                        : engine.handleRequestVoteRequest(request);
            }
            case TimeoutNowRequest request -> {
                checkSender(from, request.getServerId());
                yield engine.handleTimeoutNowRequest(request, done);
            }
            case ReadIndexRequest request -> {
                checkSender(from, request.getServerId());
                engine.handleReadIndexRequest(request, new ReadIndexAnswer(done));
                yield null;
            }
            case InstallSnapshotRequest request -> {
                checkSender(from, request.getServerId());
                yield engine.handleInstallSnapshot(request, done);
            }
            case GetFileRequest request -> FileService.getInstance().handleGetFile(limited(request), done);
            default -> throw new IllegalArgumentException("not a request: " + message.getClass());
        };
    }

    /** The engine asks for small files as a whole; the rest of one comes with its next request. */
    private static GetFileRequest limited(GetFileRequest request) {
        return request.getCount() <= MAX_CHUNK_BYTES
                ? request
                : request.toBuilder().setCount(MAX_CHUNK_BYTES).build();
    }

    /** A member speaks for itself only. */
    private static void checkSender(MemberId from, String peer) {
        if (!PeerIds.peerOf(from).toString().equals(peer)) {
            throw new IllegalArgumentException("member " + from + " speaks as " + peer);
        }
    }

    /** Passes the engine's read index on. */
    private static final class ReadIndexAnswer extends RpcResponseClosureAdapter<ReadIndexResponse> {
        private final RpcRequestClosure done;

        ReadIndexAnswer(RpcRequestClosure done) {
            this.done = done;
        }

        @Override
        public void run(Status status) {
            if (getResponse() != null) {
                done.sendResponse(getResponse());
            } else {
                done.run(status);
            }
        }
    }

    /** Where the engine puts its response. */
    private static final class Answer implements RpcContext {
        private final CompletableFuture<ByteBuffer> response = new CompletableFuture<>();

        @Override
        public void sendResponse(Object message) {
            response.complete(PeerMessages.encode((Message) message));
        }

        void refuse(RaftError error, String reason) {
            sendResponse(ErrorResponse.newBuilder()
                    .setErrorCode(error.getNumber())
                    .setErrorMsg(reason)
                    .build());
        }

        @Override
        public @Nullable Connection getConnection() {
            return null;
        }

        @Override
        public String getRemoteAddress() {
            return "member";
        }
    }
}
