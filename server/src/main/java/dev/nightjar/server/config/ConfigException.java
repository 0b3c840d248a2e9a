/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

/** A setting that cannot be used; the message is the sentence the operator sees. */
public final class ConfigException extends Exception {
    private final String sentence;

    public ConfigException(String sentence) {
        super(sentence);
        this.sentence = sentence;
    }

    @Override
    public String getMessage() {
        return sentence;
    }
}
