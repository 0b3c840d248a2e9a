/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.nio.ByteBuffer;

/**
 * The last chunk of an image.
 *
 * @param syncedPosition how far the log was durable when the image was completed: nothing in the image comes from behind
 * @param last what the newest frame said then
 */
record ImageEnd(long syncedPosition, FrameInfo last) {

    static final int BYTES = 5 * Long.BYTES;

    ByteBuffer encode() {
        return ImageFormat.allocate(BYTES)
                .putLong(syncedPosition)
                .putLong(last.appliedIndex())
                .putLong(last.appliedTerm())
                .putLong(last.revision())
                .putLong(last.compactedRevision())
                .flip();
    }

    static ImageEnd decode(ByteBuffer bytes) {
        return new ImageEnd(
                bytes.getLong(), new FrameInfo(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong()));
    }
}
