/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import com.google.protobuf.Message;

/** The message of the server as it is, with nothing before or after it; owned by the thread that runs the command. */
final class ProtobufPrinter extends MessagePrinter {

    private final Output output;

    ProtobufPrinter(Output output) {
        this.output = output;
    }

    @Override
    void print(Message response) {
        output.raw(response.toByteString());
        output.flush();
    }
}
