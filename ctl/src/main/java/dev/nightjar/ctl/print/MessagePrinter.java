/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import com.google.protobuf.Message;
import dev.nightjar.api.etcdserverpb.AlarmResponse;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.MemberListResponse;
import dev.nightjar.api.etcdserverpb.PutResponse;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.api.etcdserverpb.WatchResponse;

/** Prints all kinds of responses in one way; owned by the thread that runs the command. */
abstract class MessagePrinter implements KeyPrinter, MemberPrinter, AlarmPrinter {

    abstract void print(Message response);

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
    public void alarms(AlarmResponse response) {
        print(response);
    }

    @Override
    public void members(MemberListResponse response) {
        print(response);
    }
}
