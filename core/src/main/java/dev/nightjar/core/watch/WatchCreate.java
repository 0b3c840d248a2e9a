/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

/**
 * What a client asks for. The watcher keeps the arrays: they are not to be changed afterwards.
 *
 * @param key as sent
 * @param rangeEnd as sent; empty for one key, a single zero byte for "all from key on"
 * @param startRevision as sent
 * @param watchId wanted id, 0 for an automatic one
 * @param options the flags
 */
public record WatchCreate(byte[] key, byte[] rangeEnd, long startRevision, long watchId, Options options) {

    /**
     * @param progressNotify takes part in periodic progress
     * @param noPut drops PUT events
     * @param noDelete drops DELETE events
     * @param previous attaches the previous key-value
     * @param fragment allows a response over the limit to be split
     */
    public record Options(
            boolean progressNotify, boolean noPut, boolean noDelete, boolean previous, boolean fragment) {}
}
