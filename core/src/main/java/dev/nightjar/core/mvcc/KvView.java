/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.nio.ByteBuffer;

/**
 * One KeyValue as it is stored: the encoded message lies in a mapped segment and is copied from there. Immutable; any
 * thread; stays valid as long as it is held, also after compaction.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class KvView {

    KvView() {}

    public long createRevision() {
        throw new UnsupportedOperationException();
    }

    public long modRevision() {
        throw new UnsupportedOperationException();
    }

    public long version() {
        throw new UnsupportedOperationException();
    }

    /** The lease that the key is attached to, 0 if none. */
    public long lease() {
        throw new UnsupportedOperationException();
    }

    /** A fresh copy of the key. */
    public byte[] key() {
        throw new UnsupportedOperationException();
    }

    /** The value, read-only, from position 0 to the limit. */
    public ByteBuffer value() {
        throw new UnsupportedOperationException();
    }

    /** Length of the encoded KeyValue in bytes. */
    public int encodedLength() {
        throw new UnsupportedOperationException();
    }

    /** Length in bytes of the encoded KeyValue without its value field, which comes last. */
    public int encodedLengthWithoutValue() {
        throw new UnsupportedOperationException();
    }

    /** The encoded KeyValue, read-only, from position 0 to the limit. */
    public ByteBuffer encoded() {
        throw new UnsupportedOperationException();
    }

    /** The encoded KeyValue without its value, read-only, from position 0 to the limit. */
    public ByteBuffer encodedWithoutValue() {
        throw new UnsupportedOperationException();
    }

    /** Copies the first {@code length} bytes of the encoded KeyValue into {@code target} from {@code offset} on. */
    public void copyEncoded(byte[] target, int offset, int length) {
        throw new UnsupportedOperationException();
    }
}
