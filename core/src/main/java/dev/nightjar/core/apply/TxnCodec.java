/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.CodedInputStream;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import java.io.IOException;

/** Reads transactions, which may be nested deeper than messages usually are. Stateless. */
public final class TxnCodec {
    /**
     * Messages within messages. A transaction in a transaction takes two, and the limit on operations ends nesting at 128
     * by default; what is deeper than this is no transaction but an attack on the stack.
     */
    private static final int MAX_DEPTH = 2000;

    private TxnCodec() {}

    /** The request, the same on every member. */
    public static TxnRequest parse(byte[] body) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(body);
        in.setRecursionLimit(MAX_DEPTH);
        return TxnRequest.parseFrom(in);
    }
}
