/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl;

import dev.nightjar.ctl.command.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A command that runs on a thread of its own, so that a test can watch it at work. */
final class CtlHarness {

    /** What was written, with a way to wait for more. */
    static final class Written extends OutputStream {

        private static final long LIMIT_NANOS = 60_000_000_000L;

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(); // guarded by this
        private final CountDownLatch writer = new CountDownLatch(1);
        private volatile CountDownLatch gate = new CountDownLatch(0);

        /** Lets nobody write until something has happened. */
        void holdBack(CountDownLatch until) {
            gate = until;
        }

        /** Waits until somebody wants to write. */
        void awaitWriter() throws InterruptedException {
            if (!writer.await(LIMIT_NANOS, TimeUnit.NANOSECONDS)) {
                throw new AssertionError("nobody wrote");
            }
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] source, int offset, int length) throws IOException {
            writer.countDown();
            try {
                if (!gate.await(LIMIT_NANOS, TimeUnit.NANOSECONDS)) {
                    throw new IOException("held back too long");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
            keep(source, offset, length);
        }

        private synchronized void keep(byte[] source, int offset, int length) {
            bytes.write(source, offset, length);
            notifyAll();
        }

        synchronized String text() {
            return bytes.toString(StandardCharsets.UTF_8);
        }

        /** Waits until the text holds something. */
        synchronized void await(String part) throws InterruptedException {
            long end = System.nanoTime() + LIMIT_NANOS;
            while (!text().contains(part)) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    throw new AssertionError("no " + part + " in: " + text());
                }
                wait(left / 1_000_000 + 1);
            }
        }
    }

    final Written out = new Written();
    final Written err = new Written();

    /** Starts a command and returns its exit code when it has ended. */
    CompletableFuture<Integer> start(InputStream in, String... args) {
        CompletableFuture<Integer> exit = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> exit.complete(run(in, args)));
        return exit;
    }

    /** Runs a command and returns its exit code. */
    int run(InputStream in, String... args) {
        return Ctl.run(
                args,
                new Console(
                        Map.of(),
                        in,
                        new PrintStream(out, false, StandardCharsets.UTF_8),
                        new PrintStream(err, false, StandardCharsets.UTF_8),
                        System::nanoTime,
                        pause -> {}));
    }
}
