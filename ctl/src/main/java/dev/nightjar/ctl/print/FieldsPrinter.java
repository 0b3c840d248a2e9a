/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.AlarmMember;
import dev.nightjar.api.etcdserverpb.AlarmResponse;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.Member;
import dev.nightjar.api.etcdserverpb.MemberListResponse;
import dev.nightjar.api.etcdserverpb.PutResponse;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.ResponseHeader;
import dev.nightjar.api.etcdserverpb.ResponseOp;
import dev.nightjar.api.etcdserverpb.StatusResponse;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.api.mvccpb.KeyValue;
import java.math.BigInteger;
import java.util.List;

/** Every field of a response as a line {@code "Name" : value}; owned by the thread that runs the command. */
final class FieldsPrinter implements KeyPrinter, MemberPrinter, AlarmPrinter, EndpointPrinter {

    private final Output output;
    private final boolean hex;

    FieldsPrinter(Output output, boolean hex) {
        this.output = output;
        this.hex = hex;
    }

    @Override
    public void range(RangeResponse response) {
        header(response.getHeader());
        response.getKvsList().forEach(kv -> keyValue("", kv));
        field("More", Boolean.toString(response.getMore()));
        field("Count", Long.toString(response.getCount()));
    }

    @Override
    public void put(PutResponse response) {
        header(response.getHeader());
        if (response.hasPrevKv()) {
            keyValue("Prev", response.getPrevKv());
        }
    }

    @Override
    public void delete(DeleteRangeResponse response) {
        header(response.getHeader());
        field("Deleted", Long.toString(response.getDeleted()));
        response.getPrevKvsList().forEach(kv -> keyValue("Prev", kv));
    }

    @Override
    public void txn(TxnResponse response) {
        header(response.getHeader());
        field("Succeeded", Boolean.toString(response.getSucceeded()));
        for (ResponseOp operation : response.getResponsesList()) {
            switch (operation.getResponseCase()) {
                case RESPONSE_RANGE -> range(operation.getResponseRange());
                case RESPONSE_PUT -> put(operation.getResponsePut());
                case RESPONSE_DELETE_RANGE -> delete(operation.getResponseDeleteRange());
                case RESPONSE_TXN -> txn(operation.getResponseTxn());
                case RESPONSE_NOT_SET -> {}
            }
        }
    }

    @Override
    public void watch(WatchResponse response) {
        header(response.getHeader());
        for (Event event : response.getEventsList()) {
            field("Type", Events.typeName(event));
            if (event.hasPrevKv()) {
                keyValue("Prev", event.getPrevKv());
            }
            keyValue("", event.getKv());
        }
        output.flush();
    }

    @Override
    public void members(MemberListResponse response) {
        header(response.getHeader());
        for (Member member : response.getMembersList()) {
            field("ID", id(member.getID()));
            field("Name", Quoted.of(member.getName()));
            member.getPeerURLsList().forEach(url -> field("PeerURL", Quoted.of(url)));
            member.getClientURLsList().forEach(url -> field("ClientURL", Quoted.of(url)));
            field("IsLearner", Boolean.toString(member.getIsLearner()));
            output.line("");
        }
    }

    @Override
    public void alarms(AlarmResponse response) {
        header(response.getHeader());
        for (AlarmMember alarm : response.getAlarmsList()) {
            field("MemberID", id(alarm.getMemberID()));
            field("AlarmType", Alarms.type(alarm));
            output.line("");
        }
    }

    @Override
    public void hashKv(List<EndpointHashKv> endpoints) {
        for (EndpointHashKv endpoint : endpoints) {
            header(endpoint.hash().getHeader());
            field("Endpoint", Quoted.of(endpoint.endpoint()));
            field("Hash", Integer.toUnsignedString(endpoint.hash().getHash()));
            field("HashRevision", Long.toString(endpoint.hash().getHashRevision()));
            output.line("");
        }
    }

    @Override
    public void health(List<EndpointHealth> endpoints) {
        for (EndpointHealth endpoint : endpoints) {
            field("Endpoint", Quoted.of(endpoint.endpoint()));
            field("Health", Boolean.toString(endpoint.healthy()));
            field("Took", Rows.took(endpoint));
            field("Error", endpoint.error());
            output.line("");
        }
    }

    @Override
    public void status(List<EndpointStatus> endpoints) {
        for (EndpointStatus endpoint : endpoints) {
            StatusResponse status = endpoint.status();
            header(status.getHeader());
            field("Version", Quoted.of(status.getVersion()));
            field("StorageVersion", Quoted.of(status.getStorageVersion()));
            field("DBSize", Long.toString(status.getDbSize()));
            field("DBSizeInUse", Long.toString(status.getDbSizeInUse()));
            field("DBSizeQuota", Long.toString(status.getDbSizeQuota()));
            field("Leader", Long.toUnsignedString(status.getLeader()));
            field("IsLearner", Boolean.toString(status.getIsLearner()));
            field("RaftIndex", Long.toUnsignedString(status.getRaftIndex()));
            field("RaftAppliedIndex", Long.toUnsignedString(status.getRaftAppliedIndex()));
            field("Errors", "[" + String.join(" ", status.getErrorsList()) + "]");
            field("Endpoint", Quoted.of(endpoint.endpoint()));
            field("DowngradeTargetVersion", Quoted.of(status.getDowngradeInfo().getTargetVersion()));
            field("DowngradeEnabled", Boolean.toString(status.getDowngradeInfo().getEnabled()));
            output.line("");
        }
    }

    private void header(ResponseHeader header) {
        field("ClusterID", id(header.getClusterId()));
        field("MemberID", id(header.getMemberId()));
        if (header.getRevision() != 0) {
            field("Revision", Long.toString(header.getRevision()));
        }
        field("RaftTerm", Long.toUnsignedString(header.getRaftTerm()));
    }

    private void keyValue(String prefix, KeyValue kv) {
        field(prefix + "Key", Quoted.of(kv.getKey()));
        field(prefix + "CreateRevision", Long.toString(kv.getCreateRevision()));
        field(prefix + "ModRevision", Long.toString(kv.getModRevision()));
        field(prefix + "Version", Long.toString(kv.getVersion()));
        field(prefix + "Value", Quoted.of(kv.getValue()));
        field(
                prefix + "Lease",
                hex ? "%016x".formatted(BigInteger.valueOf(kv.getLease())) : Long.toString(kv.getLease()));
    }

    private String id(long id) {
        return hex ? Hex.id(id) : Long.toUnsignedString(id);
    }

    private void field(String name, String value) {
        output.line(ByteString.copyFromUtf8("\"" + name + "\" : " + value));
    }
}
