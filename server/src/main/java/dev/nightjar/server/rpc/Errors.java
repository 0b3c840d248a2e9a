/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.core.apply.ApiError;
import io.grpc.Status;

/** Errors of the state machine as gRPC statuses. Stateless. */
final class Errors {
    private static final Status[] BY_ERROR = new Status[ApiError.values().length];

    static {
        for (ApiError error : ApiError.values()) {
            BY_ERROR[error.ordinal()] = Status.fromCodeValue(error.code()).withDescription(error.text());
        }
    }

    private Errors() {}

    static Status status(ApiError error) {
        return BY_ERROR[error.ordinal()];
    }
}
