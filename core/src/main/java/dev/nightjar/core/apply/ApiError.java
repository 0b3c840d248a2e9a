/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

/**
 * The errors that clients of the API know by code and exact text.
 *
 * <p>Codes are the numbers of gRPC's status codes; the texts are etcd's, since clients compare them letter by letter.
 */
public enum ApiError {
    EMPTY_KEY(3, "etcdserver: key is not provided"),
    KEY_NOT_FOUND(3, "etcdserver: key not found"),
    VALUE_PROVIDED(3, "etcdserver: value is provided"),
    LEASE_PROVIDED(3, "etcdserver: lease is provided"),
    TOO_MANY_OPS(3, "etcdserver: too many operations in txn request"),
    DUPLICATE_KEY(3, "etcdserver: duplicate key given in txn request"),
    INVALID_SORT_OPTION(3, "etcdserver: invalid sort option"),
    REQUEST_TOO_LARGE(3, "etcdserver: request is too large"),
    INVALID_CLIENT_VERSION(3, "etcdserver: invalid client api version"),
    LEASE_NOT_FOUND(5, "etcdserver: requested lease not found"),
    NO_SPACE(8, "etcdserver: mvcc: database space exceeded"),
    TOO_MANY_REQUESTS(8, "etcdserver: too many requests"),
    COMPACTED(11, "etcdserver: mvcc: required revision has been compacted"),
    FUTURE_REVISION(11, "etcdserver: mvcc: required revision is a future revision"),
    RANGE_STREAM_SORT(12, "RangeStream does not support custom sort orders"),
    RANGE_STREAM_FILTER(12, "RangeStream does not support revision filters"),
    NO_LEADER(14, "etcdserver: no leader"),
    LEADER_CHANGED(14, "etcdserver: leader changed"),
    STOPPED(14, "etcdserver: server stopped"),
    TIMEOUT(14, "etcdserver: request timed out"),
    TIMEOUT_LEADER_FAILED(14, "etcdserver: request timed out, possibly due to previous leader failure"),
    CORRUPT(15, "etcdserver: corrupt cluster");

    private final int code;
    private final String text;

    ApiError(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** The number of the gRPC status code. */
    public int code() {
        return code;
    }

    /** The message of the gRPC status. */
    public String text() {
        return text;
    }
}
