/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.CodedInputStream;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import java.io.IOException;

/**
 * Reads transactions, which may be nested deeper than messages usually are. Stateless.
 *
 * <p>The limit is the same for a request and for the log's replay: a wider one there would let an entry overflow the stack
 * of the apply thread, in the middle of a batch, where this one says what is wrong.
 */
public final class TxnCodec {
    /** Transactions within one, twice what the default limit on operations lets through; a stack of 1 MiB bears 700. */
    static final int MAX_NESTED = 256;

    /** Messages within messages: an operation and its transaction for each level, and an operation or compare in the last. */
    private static final int MAX_DEPTH = 2 * MAX_NESTED + 2;

    private TxnCodec() {}

    /** The request, the same on every member. */
    public static TxnRequest parse(byte[] body) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(body);
        in.setRecursionLimit(MAX_DEPTH);
        return TxnRequest.parseFrom(in);
    }
}
