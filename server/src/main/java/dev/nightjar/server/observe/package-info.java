/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * What the server tells about itself: log lines and metrics. Purpose: log lines in etcd's form, so that tools that wait
 * for them find them, and etcd's metrics under etcd's names. Nothing here starts a thread; counters may be raised on any
 * thread. May depend on config, wire, slf4j, logback and the Prometheus library, but never on node. Start reading at
 * {@link dev.nightjar.server.observe.Metrics} and {@link dev.nightjar.server.observe.Logging}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.server.observe;
