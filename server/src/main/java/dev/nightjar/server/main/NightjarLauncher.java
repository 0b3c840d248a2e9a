/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.main;

import dev.nightjar.server.config.ServerConfig;
import dev.nightjar.server.observe.Metrics;

/** Connects the program with the server: the one place where both are known. Stateless. */
final class NightjarLauncher implements Launcher {

    @Override
    public Running start(ServerConfig config, Metrics metrics) throws Exception {
        throw new UnsupportedOperationException("this build has no server");
    }
}
