/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import com.google.protobuf.Message;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.MemberListResponse;
import dev.nightjar.api.etcdserverpb.PutResponse;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.api.etcdserverpb.WatchResponse;

/** The message of the server as it is, with nothing before or after it; owned by the thread that runs the command. */
final class ProtobufPrinter implements KeyPrinter, MemberPrinter {

    private final Output output;

    ProtobufPrinter(Output output) {
        this.output = output;
    }

    @Override
    public void range(RangeResponse response) {
        print(response);
    }

    @Override
    public void put(PutResponse response) {
        print(response);
    }

    @Override
    public void delete(DeleteRangeResponse response) {
        print(response);
    }

    @Override
    public void txn(TxnResponse response) {
        print(response);
    }

    @Override
    public void watch(WatchResponse response) {
        print(response);
    }

    @Override
    public void members(MemberListResponse response) {
        print(response);
    }

    private void print(Message message) {
        output.raw(message.toByteString());
        output.flush();
    }
}
