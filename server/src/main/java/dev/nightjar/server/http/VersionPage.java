/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.http;

import dev.nightjar.server.config.Version;
import org.jspecify.annotations.Nullable;

/** {@code /version}: the same for clients and for members. Stateless. */
final class VersionPage {
    private VersionPage() {}

    /** @param cluster the cluster's version, null if there is none yet */
    static HttpReply of(@Nullable String cluster) {
        return HttpReply.json("{\"etcdserver\":\"" + Version.ETCD + "\",\"etcdcluster\":\""
                + (cluster == null ? "not_decided" : cluster) + "\",\"storage\":\""
                + (cluster == null ? "unknown" : cluster) + "\"}");
    }
}
