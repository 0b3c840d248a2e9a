/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * Where the log, the state machine and the clients meet. Purpose: carries writes into the log and their results back to
 * the loops they came from, gives reads their barrier, owns the life cycle. The one place that runs both {@code
 * consensus} and {@code core}; the server's threads start here. Of the server it knows nothing else. Start reading at
 * {@link dev.nightjar.server.node.Node}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.server.node;
