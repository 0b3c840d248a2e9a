/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import dev.nightjar.api.mvccpb.Event;

/** Words for events; stateless, any thread. */
public final class Events {

    private Events() {}

    /** PUT or DELETE; the number of a type that this client does not know. */
    public static String typeName(Event event) {
        return switch (event.getType()) {
            case PUT -> "PUT";
            case DELETE -> "DELETE";
            case UNRECOGNIZED -> Integer.toString(event.getTypeValue());
        };
    }
}
