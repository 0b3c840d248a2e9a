/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What every connection of a port shares; immutable. */
record PortConfig(
        MethodTable methods,
        HttpHandler http,
        WireLimits limits,
        WireObserver observer,
        @Nullable Supplier<SslContext> tls,
        PortTuning tuning) {}
