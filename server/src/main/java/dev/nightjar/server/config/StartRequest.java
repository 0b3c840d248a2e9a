/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import java.util.List;
import java.util.Map;

/** What a command line with its environment asks for. An immutable value; {@link CommandLine#read} makes it. */
public sealed interface StartRequest {

    /**
     * To serve.
     *
     * @param config the configuration
     * @param notices what is to be logged first, in order
     */
    record Serve(ServerConfig config, List<Notice> notices) implements StartRequest {}

    /** To print the version. */
    record Version() implements StartRequest {}

    /** To print help: {@link Usage}. */
    record Help() implements StartRequest {}

    /**
     * A command line that cannot be read: print the message and the usage, exit 2.
     *
     * @param message the sentence for the operator
     */
    record Malformed(String message) implements StartRequest {}

    /**
     * What etcd panics at: log, print the message behind {@code panic:}, exit 2.
     *
     * @param notices what is to be logged first, in order
     * @param message the reason
     */
    record Panic(List<Notice> notices, String message) implements StartRequest {}

    /**
     * Settings that can be read but not used: log and exit 1.
     *
     * @param notices what is to be logged; the last one is the reason
     */
    record Unusable(List<Notice> notices) implements StartRequest {}

    /**
     * A line for the log.
     *
     * @param level how grave
     * @param message the message
     * @param fields its fields
     */
    record Notice(LogLevel level, String message, Map<String, String> fields) {}
}
