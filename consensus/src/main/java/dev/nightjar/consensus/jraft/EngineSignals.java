/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.util.Platform;
import com.alipay.sofa.jraft.util.SignalHelper;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the engine from answering signals: as its node class is loaded it takes SIGUSR2 and from then on writes reports
 * of its own into the working directory. Any thread.
 */
final class EngineSignals {
    private static final Logger LOG = LoggerFactory.getLogger(EngineSignals.class);

    /** Once for the process: later the signal may be somebody else's. */
    private static final AtomicBoolean DROPPED = new AtomicBoolean();

    private EngineSignals() {}

    /** Makes SIGUSR2 a signal that only leaves a line in the log; after the engine's node class was loaded. */
    static void drop() {
        if (!DROPPED.compareAndSet(false, true) || !SignalHelper.supportSignal() || Platform.isWindows()) {
            return;
        }
        try {
            SignalHelper.addSignal(SignalHelper.SIG_USR2, List.of());
        } catch (IllegalArgumentException e) {
            // The JVM keeps the signal for itself; so the engine has not got it either.
            LOG.debug("SIGUSR2 is taken", e);
        }
    }
}
