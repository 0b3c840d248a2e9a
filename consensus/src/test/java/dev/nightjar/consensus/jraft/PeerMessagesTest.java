/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.PingRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.consensus.Transport.Lane;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeerMessagesTest {
    private static final AppendEntriesRequest APPEND = AppendEntriesRequest.newBuilder()
            .setGroupId("g")
            .setServerId("m1:1")
            .setPeerId("m2:1")
            .setTerm(3)
            .setPrevLogIndex(10)
            .setPrevLogTerm(2)
            .setCommittedIndex(9)
            .build();

    @Test
    void messages_come_out_as_they_went_in() throws Exception {
        assertThat(PeerMessages.decode(PeerMessages.encode(APPEND))).isEqualTo(APPEND);
        ErrorResponse error = ErrorResponse.newBuilder().setErrorCode(7).build();
        assertThat(PeerMessages.decode(PeerMessages.encode(error))).isEqualTo(error);
        assertThat(PeerMessages.laneOf(APPEND)).isEqualTo(Lane.LOG);
        RequestVoteRequest vote = RequestVoteRequest.newBuilder()
                .setGroupId("g")
                .setServerId("m1:1")
                .setPeerId("m2:1")
                .setTerm(1)
                .setLastLogIndex(1)
                .setLastLogTerm(1)
                .setPreVote(true)
                .build();
        assertThat(PeerMessages.laneOf(vote)).isEqualTo(Lane.CONTROL);
    }

    @Test
    void a_single_wrong_bit_anywhere_is_noticed() {
        ByteBuffer encoded = PeerMessages.encode(APPEND);
        byte[] good = new byte[encoded.remaining()];
        encoded.get(good);
        for (int bit = 0; bit < 8 * good.length; bit++) {
            byte[] bad = good.clone();
            bad[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThatThrownBy(() -> PeerMessages.decode(ByteBuffer.wrap(bad)))
                    .isInstanceOf(InvalidProtocolBufferException.class);
        }
    }

    @Test
    void short_and_unknown_messages_are_refused() {
        assertThatThrownBy(() -> PeerMessages.decode(ByteBuffer.allocate(3)))
                .isInstanceOf(InvalidProtocolBufferException.class);
        assertThatThrownBy(() -> PeerMessages.encode(
                        PingRequest.newBuilder().setSendTimestamp(1).build()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void configurations_come_out_of_the_log_as_they_went_in() {
        LogEntry entry = new LogEntry(EntryType.ENTRY_TYPE_CONFIGURATION);
        PeerId one = PeerIds.peerOf(new MemberId(0xfedcba9876543210L));
        PeerId two = PeerIds.peerOf(new MemberId(2));
        entry.setPeers(List.of(one, two));
        entry.setOldPeers(List.of(one));
        entry.setLearners(List.of(PeerIds.peerOf(new MemberId(3))));
        LogEntry read = new LogEntry(EntryType.ENTRY_TYPE_CONFIGURATION);
        ConfigurationCodec.decode(ConfigurationCodec.encode(entry), read);
        assertThat(read.getPeers()).isEqualTo(entry.getPeers());
        assertThat(read.getOldPeers()).isEqualTo(entry.getOldPeers());
        assertThat(read.getLearners()).isEqualTo(entry.getLearners());
        assertThat(read.getOldLearners()).isNull();
        assertThat(PeerIds.memberOf(one)).isEqualTo(new MemberId(0xfedcba9876543210L));
        assertThatThrownBy(() -> ConfigurationCodec.decode(ByteBuffer.wrap(new byte[] {'x'}), read))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ConfigurationCodec.decode(
                        ByteBuffer.wrap("x\n\n\n".getBytes(java.nio.charset.StandardCharsets.UTF_8)), read))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
