/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.api.etcdserverpb.AlarmMember;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.AlarmResponse;
import dev.nightjar.api.etcdserverpb.DowngradeInfo;
import dev.nightjar.api.etcdserverpb.StatusRequest;
import dev.nightjar.api.etcdserverpb.StatusResponse;
import dev.nightjar.consensus.ConsensusStatus;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.apply.CommandType;
import dev.nightjar.core.apply.Result;
import dev.nightjar.server.config.Version;
import dev.nightjar.server.node.Node;
import dev.nightjar.server.node.PendingWrite;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/** The Maintenance service: the member's state, and the alarms of the cluster. Runs on the calls' loops. */
public final class MaintenanceService {
    private final Node node;
    private final HeaderWriter headers;

    public MaintenanceService(Node node, HeaderWriter headers) {
        this.node = node;
        this.headers = headers;
    }

    /** {@code Maintenance.Status}; answered from local state. */
    void status(UnaryCall call, ByteBuf request) {
        Status malformed = Messages.check(StatusRequest.parser(), ByteBufUtil.getBytes(request));
        if (malformed != null) {
            call.finish(malformed);
            return;
        }
        ConsensusStatus status = node.status();
        MemberId leader = status.leader();
        StatusResponse.Builder response = StatusResponse.newBuilder()
                .setHeader(headers.message(node.store().publishedRevision()))
                .setVersion(Version.ETCD)
                .setDbSize(node.store().sizeBytes())
                .setDbSizeInUse(node.store().sizeInUseBytes())
                .setDbSizeQuota(node.quotaBytes())
                .setLeader(leader == null ? 0 : leader.value())
                .setRaftIndex(status.committedIndex())
                .setRaftTerm(status.term())
                .setRaftAppliedIndex(status.appliedIndex())
                .setIsLearner(status.learner())
                .setStorageVersion(Version.CLUSTER_FULL)
                .setDowngradeInfo(DowngradeInfo.getDefaultInstance());
        if (leader == null) {
            response.addErrors(ApiError.NO_LEADER.text());
        }
        for (AlarmMember alarm : node.alarms().all()) {
            response.addErrors("memberID:" + Long.toUnsignedString(alarm.getMemberID()) + " alarm:" + alarm.getAlarm());
        }
        call.reply(Messages.frame(call.raw(), response.build()));
    }

    /** {@code Maintenance.Alarm}; passes through the log, reads too. */
    void alarm(UnaryCall call, ByteBuf request) {
        byte[] body = ByteBufUtil.getBytes(request);
        Status malformed = Messages.check(AlarmRequest.parser(), body);
        if (malformed != null) {
            call.finish(malformed);
            return;
        }
        node.submit(new PendingWrite(CommandType.ALARM, body, call.raw().loop()) {
            @Override
            protected void complete(Result result) {
                if (result instanceof Result.Alarms alarms) {
                    AlarmResponse response = AlarmResponse.newBuilder()
                            .setHeader(headers.message(alarms.revision()))
                            .addAllAlarms(alarms.alarms())
                            .build();
                    call.reply(Messages.frame(call.raw(), response));
                } else if (result instanceof Result.Failed failed) {
                    call.fail(failed.error());
                } else {
                    throw new IllegalStateException("not an answer to an alarm request: " + result);
                }
            }
        });
    }
}
