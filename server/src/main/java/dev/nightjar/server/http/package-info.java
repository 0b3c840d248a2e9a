/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * What the client port answers to plain HTTP: health, version and metrics. Purpose: the paths, bodies and codes that
 * load balancers, kubelets and Prometheus know from etcd. Requests come in on event loops and are handed on at once to
 * an executor, which owns them until they are answered. May depend on wire, config and observe. Start reading at
 * {@link dev.nightjar.server.http.HttpFrontend}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.server.http;
