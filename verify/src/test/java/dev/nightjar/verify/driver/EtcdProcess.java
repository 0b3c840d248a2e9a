/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** A real etcd of the version that Nightjar answers for; owned by the test's thread. */
public final class EtcdProcess extends ServerUnderTest {
    private final Path program = Peers.etcd();

    EtcdProcess(Path directory, List<String> flags) {
        super(directory, flags);
    }

    @Override
    List<String> program() {
        return List.of(program.toString());
    }

    @Override
    public void settleMemory() {
        // The Go runtime returns memory by itself and offers no request for it.
    }

    @Override
    public OptionalLong liveHeapBytes() {
        return OptionalLong.empty();
    }
}
