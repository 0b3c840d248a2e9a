/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.PutResponse;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.api.etcdserverpb.WatchResponse;

/** Prints what came of calls on keys; owned by the thread that runs the command. */
public interface KeyPrinter {

    /** The keys read. */
    void range(RangeResponse response);

    /** The outcome of a put. */
    void put(PutResponse response);

    /** The outcome of a delete. */
    void delete(DeleteRangeResponse response);

    /** The outcome of a transaction. */
    void txn(TxnResponse response);

    /** The events of a watch, if any. */
    void watch(WatchResponse response);
}
