/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.ctl.client.CtlException;
import io.grpc.Status;

/** What the thread of a watch waits for; immutable, handed from other threads to that one. */
sealed interface WatchSignal {

    /**
     * The server sent something.
     *
     * @param stream the number of the stream it came on
     */
    record Received(int stream, WatchResponse response) implements WatchSignal {}

    /**
     * A stream ended.
     *
     * @param stream the number of the stream
     */
    record Ended(int stream, Status status) implements WatchSignal {}

    /**
     * It is time to open another stream.
     *
     * @param stream the number of the stream that ended
     */
    record RetryDue(int stream) implements WatchSignal {}

    /**
     * Nothing may have come yet although it should have.
     *
     * @param stream the number of the stream that was opened some time ago
     */
    record AnswerDue(int stream) implements WatchSignal {}

    /** The user asked for something. */
    record Line(String text) implements WatchSignal {}

    /** The user can ask for nothing more. */
    record InputFailed(CtlException failure) implements WatchSignal {}
}
