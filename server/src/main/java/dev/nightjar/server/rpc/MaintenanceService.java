/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.api.etcdserverpb.AlarmMember;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.AlarmResponse;
import dev.nightjar.api.etcdserverpb.DefragmentRequest;
import dev.nightjar.api.etcdserverpb.DefragmentResponse;
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
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The Maintenance service: the member's state, and the alarms of the cluster. Runs on the calls' loops. */
public final class MaintenanceService {
    private static final Logger LOG = LoggerFactory.getLogger(MaintenanceService.class);

    /** What tells that there is no quota. */
    private static final long NO_QUOTA = -1;

    private final Node node;
    private final HeaderWriter headers;
    private final HashService hashes;

    public MaintenanceService(Node node, HeaderWriter headers) {
        this.node = node;
        this.headers = headers;
        this.hashes = new HashService(node, headers);
    }

    /** The part of the service that reads everything. */
    HashService hashes() {
        return hashes;
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
                .setDbSizeQuota(node.quotaBytes() == Long.MAX_VALUE ? NO_QUOTA : node.quotaBytes())
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
            response.addErrors(text(alarm));
        }
        call.reply(Messages.frame(call.raw(), response.build()));
    }

    /** An alarm in protobuf's text form. */
    private static String text(AlarmMember alarm) {
        String member = alarm.getMemberID() == 0 ? "" : "memberID:" + Long.toUnsignedString(alarm.getMemberID()) + " ";
        return member + "alarm:" + alarm.getAlarm();
    }

    /** {@code Maintenance.Defragment}: gives back disk space; the answer, without a header, comes when that is done. */
    void defragment(UnaryCall call, ByteBuf request) {
        Status malformed = Messages.check(DefragmentRequest.parser(), ByteBufUtil.getBytes(request));
        if (malformed != null) {
            call.finish(malformed);
            return;
        }
        LOG.info("starting defragment");
        node.defragment(problem -> {
            if (problem != null) {
                LOG.atWarn().addKeyValue("error", problem.toString()).log("failed to defragment");
                Status status = problem instanceof RejectedExecutionException
                        ? Errors.status(node.isClosing() ? ApiError.STOPPED : ApiError.TOO_MANY_REQUESTS)
                        : Status.UNKNOWN.withDescription(problem.getMessage());
                call.raw().loop().execute(() -> call.finish(status));
                return;
            }
            LOG.info("finished defragment");
            call.raw()
                    .loop()
                    .execute(() -> call.step(
                            () -> call.reply(Messages.frame(call.raw(), DefragmentResponse.getDefaultInstance()))));
        });
    }

    /** {@code Maintenance.Alarm}; passes through the log, reads too. */
    void alarm(UnaryCall call, ByteBuf request) {
        byte[] body = ByteBufUtil.getBytes(request);
        Status malformed = Messages.check(AlarmRequest.parser(), body);
        if (malformed != null) {
            call.finish(malformed);
            return;
        }
        node.submit(PendingWrite.of(CommandType.ALARM, body, call.raw().loop(), result -> {
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
        }));
    }
}
