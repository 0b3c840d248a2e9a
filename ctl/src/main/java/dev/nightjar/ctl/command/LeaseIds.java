/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;

/** Lease ids as users write them; stateless, any thread. */
final class LeaseIds {

    private static final int HEXADECIMAL = 16;

    private LeaseIds() {}

    /**
     * Reads an id in hexadecimal.
     *
     * @throws CtlException if it is none
     */
    static long parse(String text) {
        try {
            return Long.parseLong(text, HEXADECIMAL);
        } catch (NumberFormatException e) {
            throw new CtlException(ExitCode.BAD_ARGUMENTS, "bad lease ID \"" + text + "\", expecting ID in Hex", e);
        }
    }
}
