/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.KnownLength;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;

/** A message's bytes for a marshaller, which reads faster when it knows how many there are. */
final class MessageStream extends ByteBufInputStream implements KnownLength {

    MessageStream(ByteBuf message) {
        super(message);
    }
}
