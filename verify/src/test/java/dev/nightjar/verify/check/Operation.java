/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import com.google.protobuf.ByteString;

/** One step of a write transaction; a value. */
public sealed interface Operation {
    record Put(ByteString key, ByteString value) implements Operation {}

    /** Deletes all keys of a range that exist. */
    record Delete(KeyRange range) implements Operation {}

    static Operation put(String key, String value) {
        return new Put(ByteString.copyFromUtf8(key), ByteString.copyFromUtf8(value));
    }

    static Operation delete(String key) {
        return new Delete(new KeyRange(ByteString.copyFromUtf8(key), ByteString.EMPTY));
    }
}
