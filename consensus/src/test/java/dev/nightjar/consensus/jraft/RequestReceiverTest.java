/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.rpc.RaftServerService;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowRequest;
import com.alipay.sofa.jraft.rpc.RpcResponseClosure;
import com.google.protobuf.Message;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.consensus.Transport.Lane;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RequestReceiverTest {
    private static final MemberId SENDER = new MemberId(2);

    private final SlowEngine engine = new SlowEngine();
    private final RequestReceiver receiver =
            new RequestReceiver(task -> Thread.ofVirtual().start(task));

    @BeforeEach
    void open() {
        receiver.open(engine);
    }

    private static ByteBuffer append(long index, MemberId sender) {
        return PeerMessages.encode(AppendEntriesRequest.newBuilder()
                .setGroupId("g")
                .setServerId(PeerIds.peerOf(sender).toString())
                .setPeerId("m1:1")
                .setTerm(1)
                .setPrevLogIndex(index)
                .setPrevLogTerm(1)
                .setCommittedIndex(0)
                .build());
    }

    private static ByteBuffer vote() {
        return PeerMessages.encode(RequestVoteRequest.newBuilder()
                .setGroupId("g")
                .setServerId(PeerIds.peerOf(SENDER).toString())
                .setPeerId("m1:1")
                .setTerm(1)
                .setLastLogIndex(1)
                .setLastLogTerm(1)
                .setPreVote(false)
                .build());
    }

    private static Message answer(CompletableFuture<ByteBuffer> future) throws Exception {
        return PeerMessages.decode(future.get(60, TimeUnit.SECONDS));
    }

    private static int errorOf(CompletableFuture<ByteBuffer> future) throws Exception {
        return ((ErrorResponse) answer(future)).getErrorCode();
    }

    @Test
    void requests_of_the_log_lane_are_handled_in_order_and_too_many_are_refused() throws Exception {
        List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
        int sent = RequestReceiver.LOG_REQUESTS_PER_MEMBER + 50;
        for (int i = 0; i < sent; i++) {
            answers.add(receiver.receive(SENDER, Lane.LOG, append(i, SENDER)));
        }
        assertThat(errorOf(answers.getLast())).isEqualTo(RaftError.EBUSY.getNumber());
        CompletableFuture<ByteBuffer> other =
                receiver.receive(new MemberId(3), Lane.LOG, append(1000, new MemberId(3)));
        engine.release.countDown();
        assertThat(answer(other)).isInstanceOf(AppendEntriesResponse.class);
        int handled = 0;
        for (CompletableFuture<ByteBuffer> future : answers) {
            handled += answer(future) instanceof AppendEntriesResponse ? 1 : 0;
        }
        assertThat(handled).isBetween(RequestReceiver.LOG_REQUESTS_PER_MEMBER, sent - 1);
        synchronized (engine.appended) {
            assertThat(engine.appended.stream().filter(index -> index < 1000))
                    .isSorted()
                    .hasSize(handled);
        }
    }

    @Test
    void too_many_other_requests_are_refused_and_room_comes_back() throws Exception {
        List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
        for (int i = 0; i < RequestReceiver.OTHER_REQUESTS; i++) {
            answers.add(receiver.receive(SENDER, Lane.CONTROL, vote()));
        }
        assertThat(errorOf(receiver.receive(SENDER, Lane.CONTROL, vote()))).isEqualTo(RaftError.EBUSY.getNumber());
        engine.release.countDown();
        for (CompletableFuture<ByteBuffer> future : answers) {
            assertThat(answer(future)).isInstanceOf(RequestVoteResponse.class);
        }
        assertThat(answer(receiver.receive(SENDER, Lane.CONTROL, vote()))).isInstanceOf(RequestVoteResponse.class);
    }

    @Test
    void a_member_speaks_for_itself_only() throws Exception {
        engine.release.countDown();
        assertThat(errorOf(receiver.receive(SENDER, Lane.LOG, append(1, new MemberId(3)))))
                .isEqualTo(RaftError.EINTERNAL.getNumber());
        synchronized (engine.appended) {
            assertThat(engine.appended).isEmpty();
        }
    }

    @Test
    void nonsense_is_refused() throws Exception {
        assertThat(errorOf(receiver.receive(SENDER, Lane.LOG, ByteBuffer.allocate(100))))
                .isEqualTo(RaftError.EREQUEST.getNumber());
        ByteBuffer notARequest = PeerMessages.encode(
                AppendEntriesResponse.newBuilder().setTerm(1).setSuccess(true).build());
        assertThat(errorOf(receiver.receive(SENDER, Lane.LOG, notARequest))).isEqualTo(RaftError.EINTERNAL.getNumber());
    }

    @Test
    void a_closed_door_stays_closed() throws Exception {
        receiver.close();
        assertThat(errorOf(receiver.receive(SENDER, Lane.CONTROL, vote()))).isEqualTo(RaftError.EHOSTDOWN.getNumber());
    }

    /** An engine that answers nothing until it is released. */
    private static final class SlowEngine implements RaftServerService {
        private final CountDownLatch release = new CountDownLatch(1);
        private final List<Long> appended = new ArrayList<>();

        private void await() {
            try {
                release.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Message handlePreVoteRequest(RequestVoteRequest request) {
            return handleRequestVoteRequest(request);
        }

        @Override
        public Message handleRequestVoteRequest(RequestVoteRequest request) {
            await();
            return RequestVoteResponse.newBuilder().setTerm(1).setGranted(true).build();
        }

        @Override
        public Message handleAppendEntriesRequest(AppendEntriesRequest request, RpcRequestClosure done) {
            await();
            synchronized (appended) {
                appended.add(request.getPrevLogIndex());
            }
            return AppendEntriesResponse.newBuilder()
                    .setTerm(1)
                    .setSuccess(true)
                    .build();
        }

        @Override
        public Message handleInstallSnapshot(InstallSnapshotRequest request, RpcRequestClosure done) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Message handleTimeoutNowRequest(TimeoutNowRequest request, RpcRequestClosure done) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void handleReadIndexRequest(ReadIndexRequest request, RpcResponseClosure<ReadIndexResponse> done) {
            throw new UnsupportedOperationException();
        }
    }
}
