/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.Map;

/**
 * The decoded target of a request.
 *
 * @param path decoded, without query
 * @param query decoded parameters in the order sent
 */
record HttpTarget(String path, Map<String, List<String>> query) {

    /**
     * Decodes a target: a path and what follows it, or a whole URL, as a proxy is sent it; its host does not matter.
     *
     * @throws IllegalArgumentException if an escape is malformed
     */
    static HttpTarget parse(String target) {
        var decoder = new QueryStringDecoder(target.substring(hostEnd(target)));
        return new HttpTarget(decoder.path(), decoder.parameters());
    }

    private static int hostEnd(String target) {
        int scheme = target.indexOf("://");
        if (scheme < 0 || target.startsWith("/")) {
            return 0;
        }
        int end = scheme + "://".length();
        while (end < target.length() && "/?".indexOf(target.charAt(end)) < 0) {
            end++;
        }
        return end;
    }
}
