/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.core.apply.ApiError;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A client's wait for history to be gone. Any thread; either method ends it, a second call does nothing. */
public interface PhysicalCompaction {

    /**
     * Calls back, on the client's loop, once all that was superseded up to a revision is gone and that is durable.
     *
     * @param done is given null, or why that will never be
     */
    void await(long revision, Consumer<@Nullable ApiError> done);

    /** The client does not want to wait, or not any more. */
    void leave();
}
