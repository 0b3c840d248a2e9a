/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.main;

import dev.nightjar.server.config.ServerConfig;
import dev.nightjar.server.config.ServerUrl;
import dev.nightjar.server.observe.Metrics;
import java.util.List;
import java.util.function.Consumer;

/** Starts a server in this process. */
@FunctionalInterface
interface Launcher {

    /** Begins what can be done before the server is started; returns at once. */
    default void prepare() {}

    /**
     * Returns once the server serves.
     *
     * @throws Exception if it cannot; the message is the sentence for the operator
     */
    Running start(ServerConfig config, Metrics metrics) throws Exception;

    /** A server that serves. */
    interface Running {

        /** This member's id in its text form. */
        String memberId();

        /** Where it listens for clients, with the ports that it really has. */
        List<ServerUrl> clientUrls();

        /** Where it listens for members, with the ports that it really has. */
        List<ServerUrl> peerUrls();

        /** Calls back with the reason when the server cannot go on by itself: the process has to end. */
        void onFailure(Consumer<Throwable> then);

        /** Stops it; returns when all is on disk and every port is free. */
        void close();
    }
}
