/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How many files and sockets the process may have open. Stateless. */
final class DescriptorLimit {
    /** What most systems grant; used where the limit cannot be asked for. */
    private static final int ASSUMED = 1024;

    private DescriptorLimit() {}

    static int get() {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix) {
            return Math.clamp(unix.getMaxFileDescriptorCount(), 1, Integer.MAX_VALUE);
        }
        return ASSUMED;
    }
}
