/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.option.NodeOptions;
import dev.nightjar.consensus.Transport;

/** The engine's options with the member's transport in tow: the engine creates its client from a process-wide factory. */
final class MemberOptions extends NodeOptions {
    private final Transport transport;

    MemberOptions(Transport transport) {
        this.transport = transport;
    }

    Transport transport() {
        return transport;
    }
}
