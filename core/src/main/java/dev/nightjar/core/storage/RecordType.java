/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

/** What a record says. */
public enum RecordType {
    /** A key got a value; the body is the encoded KeyValue with the value field last. */
    PUT(1),
    /** A key was deleted; the body is a KeyValue of key and mod_revision. */
    TOMBSTONE(2),
    /** A row of small state got a body; id first, then content. */
    ROW(3),
    /** A row of small state was removed; the body is the id. */
    ROW_REMOVED(4),
    /** All rows before this record are void; those that exist follow. No body. */
    ROWS_RESET(5);

    private static final RecordType[] BY_CODE = {null, PUT, TOMBSTONE, ROW, ROW_REMOVED, ROWS_RESET};

    private final byte code;

    RecordType(int code) {
        this.code = (byte) code;
    }

    byte code() {
        return code;
    }

    /** Whether the record is a change of a key. */
    public boolean isChange() {
        return this == PUT || this == TOMBSTONE;
    }

    static boolean isKnown(byte code) {
        return code > 0 && code < BY_CODE.length;
    }

    static RecordType of(byte code) {
        if (!isKnown(code)) {
            throw new IllegalStateException("record type " + code);
        }
        return BY_CODE[code];
    }
}
