/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.AlarmResponse;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.MemberListResponse;
import dev.nightjar.api.etcdserverpb.PutResponse;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.ResponseOp;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.api.mvccpb.KeyValue;
import java.util.List;

/** Lines for people and for simple scripts: a key, then its value; owned by the thread that runs the command. */
public final class SimplePrinter implements KeyPrinter, MemberPrinter, AlarmPrinter, EndpointPrinter {

    private final Output output;
    private final boolean hex;
    private final boolean valuesOnly;

    SimplePrinter(Output output, boolean hex) {
        this(output, hex, false);
    }

    /** With the choice to leave the keys out. */
    public SimplePrinter(Output output, boolean hex, boolean valuesOnly) {
        this.output = output;
        this.hex = hex;
        this.valuesOnly = valuesOnly;
    }

    @Override
    public void range(RangeResponse response) {
        response.getKvsList().forEach(kv -> keyValue(kv, valuesOnly));
    }

    @Override
    public void put(PutResponse response) {
        output.line("OK");
        if (response.hasPrevKv()) {
            keyValue(response.getPrevKv(), false);
        }
    }

    @Override
    public void delete(DeleteRangeResponse response) {
        output.line(Long.toString(response.getDeleted()));
        response.getPrevKvsList().forEach(kv -> keyValue(kv, false));
    }

    @Override
    public void txn(TxnResponse response) {
        output.line(response.getSucceeded() ? "SUCCESS" : "FAILURE");
        for (ResponseOp operation : response.getResponsesList()) {
            output.line("");
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
        for (Event event : response.getEventsList()) {
            output.line(Events.typeName(event));
            if (event.hasPrevKv()) {
                keyValue(event.getPrevKv(), false);
            }
            keyValue(event.getKv(), false);
        }
        output.flush();
    }

    @Override
    public void members(MemberListResponse response) {
        Rows.members(response).forEach(row -> output.line(String.join(", ", row)));
    }

    @Override
    public void alarms(AlarmResponse response) {
        response.getAlarmsList().forEach(alarm -> output.line(Alarms.text(alarm)));
    }

    @Override
    public void hashKv(List<EndpointHashKv> endpoints) {
        endpoints.forEach(endpoint -> output.line(String.join(", ", Rows.hashKv(endpoint))));
    }

    @Override
    public void health(List<EndpointHealth> endpoints) {
        for (EndpointHealth endpoint : endpoints) {
            if (endpoint.healthy()) {
                output.line(endpoint.endpoint() + " is healthy: successfully committed proposal: took = "
                        + Rows.took(endpoint));
            } else {
                output.errorLine(endpoint.endpoint() + " is unhealthy: failed to commit proposal: " + endpoint.error());
            }
        }
    }

    @Override
    public void status(List<EndpointStatus> endpoints) {
        endpoints.forEach(endpoint -> output.line(String.join(", ", Rows.status(endpoint))));
    }

    private void keyValue(KeyValue kv, boolean valueOnly) {
        if (!valueOnly) {
            output.line(bytes(kv.getKey()));
        }
        output.line(bytes(kv.getValue()));
    }

    private ByteString bytes(ByteString bytes) {
        return hex ? Hex.escaped(bytes) : bytes;
    }
}
