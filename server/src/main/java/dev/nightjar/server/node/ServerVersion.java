/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

/** The versions that the server tells. */
public final class ServerVersion {
    /** The version of etcd whose API is served, as clients that look for features expect it. */
    public static final String ETCD = "3.7.3";

    /** The version of the cluster's common abilities. */
    public static final String CLUSTER = "3.7.0";

    /** The version of etcd's storage form that snapshots for etcd are written in. */
    public static final String STORAGE = "3.7.0";

    /** Nightjar's own. */
    public static final String NIGHTJAR = "0.1.0-SNAPSHOT";

    private ServerVersion() {}
}
