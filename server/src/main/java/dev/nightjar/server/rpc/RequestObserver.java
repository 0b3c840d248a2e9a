/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.apply.CommandType;
import org.jspecify.annotations.Nullable;

/** Told how long requests took, for metrics. Called on the loops; must return at once. */
public interface RequestObserver {

    /** A write got its result, or its refusal: {@code error} is null if it was carried out. */
    void written(CommandType type, @Nullable ApiError error, long nanos);

    /** A range was read. */
    void ranged(boolean success, long nanos);
}
