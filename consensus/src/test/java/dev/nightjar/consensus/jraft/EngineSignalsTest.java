/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.consensus.Consensus;
import dev.nightjar.consensus.ConsensusConfig;
import dev.nightjar.consensus.ConsensusEngine;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.consensus.RecordingStateMachine;
import dev.nightjar.consensus.Transport;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineSignalsTest {
    private static final MemberId SELF = new MemberId(7);

    @TempDir
    Path directory;

    private static List<Path> reports() throws Exception {
        try (Stream<Path> files = Files.list(Path.of(""))) {
            return files.filter(file -> file.toString().contains(".log")).toList();
        }
    }

    /** Calls the handler of SIGUSR2 as the JVM would; by name, as the compiler warns of each mention of its classes. */
    private static void signal() throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Signal");
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        Method handle = type.getMethod("handle", type, handler);
        Object signal = type.getConstructor(String.class).newInstance("USR2");
        Object installed =
                handle.invoke(null, signal, handler.getField("SIG_IGN").get(null));
        try {
            handler.getMethod("handle", type).invoke(installed, signal);
        } finally {
            handle.invoke(null, signal, installed);
        }
    }

    @Test
    void a_signal_makes_no_files() throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine();
        ConsensusConfig config = ConsensusConfig.of(
                SELF, List.of(SELF), directory.resolve("wal"), directory.resolve("snap"), System::nanoTime);
        try (Consensus consensus = ConsensusEngine.start(config, machine, Transport.none())) {
            machine.awaitLeading();
            List<Path> before = reports();
            signal();
            assertThat(reports()).isEqualTo(before);
            assertThat(consensus.status().leading()).isTrue();
        }
    }
}
