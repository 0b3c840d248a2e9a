/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;

/** How fresh an answer must be; any thread. */
enum Consistency {
    /** It holds everything that was written before. */
    LINEARIZABLE,
    /** It is what the asked member has. */
    SERIALIZABLE;

    /** The one that a flag names. */
    static Consistency of(String flag) {
        return switch (flag) {
            case "l" -> LINEARIZABLE;
            case "s" -> SERIALIZABLE;
            default -> throw new CtlException(ExitCode.UNSUPPORTED, "unknown consistency flag \"" + flag + "\"");
        };
    }
}
