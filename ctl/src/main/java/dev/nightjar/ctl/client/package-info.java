/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * The connection to the cluster: endpoints, channel, credentials, and the words for what goes wrong.
 *
 * <p>Owned by the thread that runs the command; a {@link dev.nightjar.ctl.client.Connection} may be shared. Start reading there.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.ctl.client;
