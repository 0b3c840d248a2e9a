/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The streams of a connection that take no more bytes now; owned by the connection's loop.
 *
 * <p>Whatever may have changed that, a window update, a writable socket or bytes that left, is a reason to ask them. They
 * are asked in a task of its own, never inside a write, and after the loop's other work: a client that reads as fast as
 * its stream is filled would otherwise keep the loop to itself.
 */
final class BlockedStreams {

    private final ServerConnection connection;
    private final Set<StreamOwner> blocked = new LinkedHashSet<>();
    private final Set<StreamOwner> asked = new LinkedHashSet<>();
    private final Runnable askTask = this::ask;
    private boolean asking;

    BlockedStreams(ServerConnection connection) {
        this.connection = connection;
    }

    void add(StreamOwner owner) {
        blocked.add(owner);
    }

    void remove(StreamOwner owner) {
        blocked.remove(owner);
        asked.remove(owner);
    }

    void askLater(StreamOwner owner) {
        if (blocked.contains(owner)) {
            asked.add(owner);
            queueAsking();
        }
    }

    void askAllLater() {
        if (!blocked.isEmpty()) {
            asked.addAll(blocked);
            queueAsking();
        }
    }

    private void queueAsking() {
        if (!asking) {
            asking = true;
            connection.afterOtherWork(askTask);
        }
    }

    private void ask() {
        asking = false;
        List<StreamOwner> owners = List.copyOf(asked);
        asked.clear();
        for (StreamOwner owner : owners) {
            if (blocked.contains(owner)) {
                owner.onMaybeWritable();
            }
        }
    }
}
