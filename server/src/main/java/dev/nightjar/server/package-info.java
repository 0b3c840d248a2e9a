/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * The server as a Java program sees it, and what joins its parts. Purpose: {@link dev.nightjar.server.Nightjar} starts
 * and stops a server; the other classes open its port and connect the node with metrics and health pages. Owns no thread:
 * starting and stopping run on the caller's. May depend on everything but {@code server.main}. Start reading at {@link
 * dev.nightjar.server.Nightjar}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.server;
