/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.Status;
import io.netty.util.AsciiString;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The gRPC methods of a port by request path; immutable. */
final class MethodTable {

    /** One method: {@code package.Service/Name} and who serves it. */
    record Method(String fullName, RawHandler handler) {}

    private final Map<AsciiString, Method> byPath = new HashMap<>();
    private final Set<String> services = new HashSet<>();

    MethodTable(Map<String, RawHandler> handlers) {
        handlers.forEach((fullName, handler) -> {
            int slash = fullName.lastIndexOf('/');
            if (slash <= 0 || fullName.startsWith("/")) {
                throw new IllegalArgumentException("not a method name like package.Service/Name: " + fullName);
            }
            byPath.put(AsciiString.of("/" + fullName), new Method(fullName, handler));
            services.add(fullName.substring(0, slash));
        });
    }

    @Nullable
    Method find(CharSequence path) {
        return byPath.get(AsciiString.of(path));
    }

    /** The status of a call to a path that {@link #find} does not know. */
    Status unknown(CharSequence path) {
        String name = path.toString();
        String full = name.startsWith("/") ? name.substring(1) : name;
        int slash = full.lastIndexOf('/');
        if (slash < 0) {
            return Status.UNIMPLEMENTED.withDescription("malformed method name: \"" + name + "\"");
        }
        String service = full.substring(0, slash);
        String text = services.contains(service)
                ? "unknown method " + full.substring(slash + 1) + " for service " + service
                : "unknown service " + service;
        return Status.UNIMPLEMENTED.withDescription(text);
    }
}
