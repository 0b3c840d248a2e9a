/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.main;

import dev.nightjar.server.Nightjar;
import dev.nightjar.server.StartFailure;
import dev.nightjar.server.config.ServerConfig;
import dev.nightjar.server.config.ServerUrl;
import dev.nightjar.server.observe.Metrics;
import java.util.List;
import java.util.function.Consumer;

/** Connects the program with the server: the one place where both are known. Stateless. */
final class NightjarLauncher implements Launcher {

    @Override
    public void prepare() {
        Nightjar.prepare();
    }

    @Override
    public Running start(ServerConfig config, Metrics metrics) throws StartFailure {
        Nightjar server = Nightjar.start(config, metrics);
        return new Running() {
            @Override
            public String memberId() {
                return server.memberId();
            }

            @Override
            public List<ServerUrl> clientUrls() {
                return server.clientUrls();
            }

            @Override
            public List<ServerUrl> peerUrls() {
                return server.peerUrls();
            }

            @Override
            @SuppressWarnings("FutureReturnValueIgnored") // the callback is the whole reaction
            public void onFailure(Consumer<Throwable> then) {
                server.stopped().thenAccept(then);
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }
}
