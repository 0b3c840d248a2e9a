/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

/** Which versions this program is and speaks. */
public final class Version {
    /** This program's own. */
    public static final String NIGHTJAR = "0.1.0-SNAPSHOT";

    /** The etcd release whose behaviour it has: what clients and tools that ask a server's version are told. */
    public static final String ETCD = "3.7.3";

    /** The version of a cluster of such servers, as the metric labels it. */
    public static final String CLUSTER = "3.7";

    /** The same where three numbers are wanted, and the version of what such servers store. */
    public static final String CLUSTER_FULL = "3.7.0";

    private Version() {}
}
