/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.main;

import dev.nightjar.server.config.ServerUrl;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** A program around a server that listens nowhere and does nothing, for tests of what is around. */
final class IdleServer implements Launcher.Running {
    private IdleServer() {}

    public static void main(String[] arguments) throws InterruptedException {
        Launcher launcher = (_, _) -> {
            java.util.logging.Logger.getLogger("some.library").warning("a line through java.util.logging");
            return new IdleServer();
        };
        int code = new Main(launcher, System.out, System.err).run(List.of(arguments), System.getenv());
        if (code >= 0) {
            System.exit(code);
        }
        new CountDownLatch(1).await();
    }

    @Override
    public String memberId() {
        return "1";
    }

    @Override
    public List<ServerUrl> clientUrls() {
        return List.of(new ServerUrl(ServerUrl.Scheme.HTTP, "127.0.0.1", 1, ""));
    }

    @Override
    public List<ServerUrl> peerUrls() {
        return List.of();
    }

    @Override
    public void onFailure(Consumer<Throwable> then) {
        // it has nothing that could fail
    }

    @Override
    public void close() {
        // nothing is open
    }
}
