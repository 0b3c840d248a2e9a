/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.main;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.Consumer;

/**
 * Signals from outside. Handlers run on a thread that the JVM makes for each signal.
 *
 * <p>The JVM's own class for this has no supported replacement, and the compiler warns of each mention of it, so it is
 * reached by name.
 */
final class Signals {
    private Signals() {}

    /** The two that ask a server to stop. */
    enum Stop {
        TERM("terminated", 15),
        INT("interrupt", 2);

        private final String text;
        private final int number;

        Stop(String text, int number) {
            this.text = text;
            this.number = number;
        }

        /** As Go calls it, and so etcd's log. */
        String text() {
            return text;
        }

        /** What a shell sees of a process that died by it. */
        int exitCode() {
            return 128 + number;
        }
    }

    /** From now on hands stop signals to {@code handler}, in place of ending the process. */
    static void install(Consumer<Stop> handler) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> receiver = Class.forName("sun.misc.SignalHandler");
            MethodHandle accept = MethodHandles.lookup()
                    .findVirtual(Consumer.class, "accept", MethodType.methodType(void.class, Object.class))
                    .bindTo(handler);
            for (Stop stop : Stop.values()) {
                MethodHandle call = MethodHandles.dropArguments(accept.bindTo(stop), 0, signal);
                signal.getMethod("handle", signal, receiver)
                        .invoke(
                                null,
                                signal.getConstructor(String.class).newInstance(stop.name()),
                                MethodHandleProxies.asInterfaceInstance(receiver, call));
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM has no signals", e);
        }
    }
}
