/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.ReplicatorGroup;
import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.option.RpcOptions;
import com.alipay.sofa.jraft.rpc.InvokeCallback;
import com.alipay.sofa.jraft.rpc.InvokeContext;
import com.alipay.sofa.jraft.rpc.RpcClient;
import com.alipay.sofa.jraft.util.Endpoint;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.nightjar.consensus.Transport;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the engine's requests through the member's transport. Any thread; callbacks run on the executor that they name. */
final class PeerRpcClient implements RpcClient {
    private static final Logger LOG = LoggerFactory.getLogger(PeerRpcClient.class);

    private volatile Transport transport = Transport.none();

    @Override
    public boolean init(RpcOptions options) {
        transport = ((MemberOptions) options).transport();
        return true;
    }

    @Override
    public void shutdown() {
        transport = Transport.none();
    }

    /** Always says yes: the engine would otherwise wait for a ping with its write lock held. An unreachable peer fails at send. */
    @Override
    public boolean checkConnection(Endpoint endpoint) {
        return true;
    }

    @Override
    public boolean checkConnection(Endpoint endpoint, boolean createIfAbsent) {
        return true;
    }

    @Override
    public void closeConnection(Endpoint endpoint) {}

    @Override
    public void registerConnectEventListener(ReplicatorGroup replicatorGroup) {}

    @Override
    public Object invokeSync(Endpoint endpoint, Object request, @Nullable InvokeContext context, long timeoutMillis)
            throws RemotingException {
        throw new RemotingException("the engine never waits for a peer");
    }

    @Override
    public void invokeAsync(
            Endpoint endpoint,
            Object request,
            @Nullable InvokeContext context,
            InvokeCallback callback,
            long timeoutMillis) {
        Message message = (Message) request;
        CompletableFuture<ByteBuffer> response;
        try {
            response = transport.send(
                    PeerIds.memberOf(endpoint),
                    PeerMessages.laneOf(message),
                    PeerMessages.encode(message),
                    Duration.ofMillis(timeoutMillis));
        } catch (RuntimeException e) {
            response = CompletableFuture.failedFuture(e);
        }
        Executor executor = Objects.requireNonNull(callback.executor());
        // A copy, so that a time-out here does not reach into the transport's own future.
        var _ = response.copy()
                .orTimeout(timeoutMillis, TimeUnit.MILLISECONDS)
                .whenComplete((bytes, failure) -> complete(callback, executor, bytes, failure));
    }

    private static void complete(
            InvokeCallback callback, Executor executor, @Nullable ByteBuffer bytes, @Nullable Throwable failure) {
        try {
            executor.execute(() -> {
                if (bytes == null) {
                    callback.complete(null, toRemoting(failure));
                    return;
                }
                try {
                    callback.complete(PeerMessages.decode(bytes), null);
                } catch (InvalidProtocolBufferException e) {
                    LOG.warn("a peer sent nonsense", e);
                    callback.complete(null, new RemotingException("bad response", e));
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("a response came after the engine's end", e);
        }
    }

    private static RemotingException toRemoting(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof TimeoutException
                ? new InvokeTimeoutException("no answer in time")
                : new RemotingException(String.valueOf(cause), cause);
    }
}
