/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.core.apply.ApiError;
import io.grpc.Status;
import java.util.EnumMap;
import java.util.Objects;

/** Errors of the state machine as gRPC statuses. Stateless. */
final class Errors {
    private static final EnumMap<ApiError, Status> BY_ERROR = new EnumMap<>(ApiError.class);

    static {
        for (ApiError error : ApiError.values()) {
            BY_ERROR.put(error, Status.fromCodeValue(error.code()).withDescription(error.text()));
        }
    }

    private Errors() {}

    static Status status(ApiError error) {
        return Objects.requireNonNull(BY_ERROR.get(error));
    }
}
