/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.client;

import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;

/** The words of etcdctl for failed calls; stateless, any thread. */
public final class RpcErrors {

    private static final String SERVER_PREFIX = "etcdserver: ";

    /** What the library says of a call whose time ended while it still looked for a connection. */
    private static final String STILL_WAITING = "was_still_waiting";

    private RpcErrors() {}

    /** The failure of a call as the end of the command. */
    public static CtlException failure(StatusRuntimeException e) {
        return new CtlException(ExitCode.ERROR, text(e.getStatus()), e);
    }

    /** The failure of a call as the end of the command. */
    public static CtlException failure(StatusException e) {
        return new CtlException(ExitCode.ERROR, text(e.getStatus()), e);
    }

    /** What to tell the user: the server's own words, or the code together with those of the library. */
    public static String text(Status status) {
        String description = status.getDescription();
        if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
            return "context deadline exceeded";
        }
        if (description != null && description.startsWith(SERVER_PREFIX)) {
            return description;
        }
        return "rpc error: code = " + name(status.getCode()) + " desc = " + (description == null ? "" : description);
    }

    /** Whether the time of a call ended before there was a connection to any server. */
    public static boolean reachedNobody(Status status) {
        String description = status.getDescription();
        return status.getCode() == Status.Code.DEADLINE_EXCEEDED
                && description != null
                && description.contains(STILL_WAITING);
    }

    private static String name(Status.Code code) {
        return switch (code) {
            case OK -> "OK";
            case CANCELLED -> "Canceled";
            case UNKNOWN -> "Unknown";
            case INVALID_ARGUMENT -> "InvalidArgument";
            case DEADLINE_EXCEEDED -> "DeadlineExceeded";
            case NOT_FOUND -> "NotFound";
            case ALREADY_EXISTS -> "AlreadyExists";
            case PERMISSION_DENIED -> "PermissionDenied";
            case RESOURCE_EXHAUSTED -> "ResourceExhausted";
            case FAILED_PRECONDITION -> "FailedPrecondition";
            case ABORTED -> "Aborted";
            case OUT_OF_RANGE -> "OutOfRange";
            case UNIMPLEMENTED -> "Unimplemented";
            case INTERNAL -> "Internal";
            case UNAVAILABLE -> "Unavailable";
            case DATA_LOSS -> "DataLoss";
            case UNAUTHENTICATED -> "Unauthenticated";
        };
    }
}
