/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.ctl.command.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Watches that last: those fed by a user at the keyboard, and those that outlive a server. */
class WatchInteractiveTest {

    private static final long LIMIT_SECONDS = 60;

    private final ScriptedServer server;
    private final CtlHarness ctl = new CtlHarness();
    private final PipedOutputStream keyboard = new PipedOutputStream();
    private final InputStream input;

    WatchInteractiveTest() throws IOException {
        server = new ScriptedServer();
        input = new PipedInputStream(keyboard);
    }

    @AfterEach
    void close() throws IOException {
        keyboard.close();
        server.close();
    }

    @Test
    void everyLineStartsAWatcherOfItsOwn() throws Exception {
        server.script(List.of(
                List.of("< header { revision: 7 } created: true", event(0, "a", 8)),
                List.of("< header { revision: 8 } watch_id: 1 created: true", event(1, "b", 9))));
        CompletableFuture<Integer> exit = ctl.start(input, "--endpoints", endpoint(), "watch", "-i");

        type("watch a --prev-kv");
        ctl.out.await("PUT\na\nv8\n");
        type("watch --prefix b -- sh -c \"echo seen $ETCD_WATCH_KEY\"");
        ctl.out.await("PUT\nb\nv9\nseen \"b\"\n");
        keyboard.close();

        assertThat(exit.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(3);
        assertThat(ctl.err.text()).isEqualTo("Error: error reading watch request line: EOF\n");
        assertThat(server.requests())
                .containsExactly(
                        "Watch/Watch [hasleader: true] create_request { key: \"a\" prev_kv: true }",
                        "Watch/Watch [hasleader: true] create_request { key: \"b\" range_end: \"c\" }");
    }

    @Test
    void aWatchThatFindsNoServerSaysSoAndWaits() throws Exception {
        CompletableFuture<Integer> exit = ctl.start(input, "--endpoints", "127.0.0.1:1", "watch", "-i");
        type("watch a");
        ctl.err.await("no server has answered yet; the watch begins when one does\n");
        keyboard.close();
        assertThat(exit.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(3);
    }

    @Test
    void progressIsAskedForAndPrinted() throws Exception {
        server.script(List.of(
                List.of("< header { revision: 7 } created: true", event(0, "a", 8)),
                List.of("< header { revision: 12 } watch_id: -1")));
        CompletableFuture<Integer> exit = ctl.start(input, "--endpoints", endpoint(), "watch", "-i");

        type("progress");
        type("watch a");
        ctl.out.await("v8\n");
        type("progress");
        ctl.out.await("progress notify: 12\n");
        keyboard.close();

        assertThat(exit.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(3);
        assertThat(server.requests().getLast()).startsWith("Watch/Watch [hasleader: true] progress_request");
    }

    @Test
    void oneWatcherMayEndWithoutTheOthers() throws Exception {
        server.script(List.of(
                List.of("< header { revision: 7 } created: true"),
                List.of(
                        "< header { revision: 7 } watch_id: -1 created: true canceled: true cancel_reason: \"no\"",
                        event(0, "a", 8))));
        CompletableFuture<Integer> exit = ctl.start(input, "--endpoints", endpoint(), "watch", "-i");

        type("watch a");
        type("watch b");
        ctl.out.await("PUT\na\nv8\n");
        keyboard.close();

        assertThat(exit.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(3);
        assertThat(ctl.err.text()).startsWith("watch was canceled (no)\n");
    }

    @Test
    void linesThatAreNoRequestsAreReportedAndOverlooked() throws Exception {
        server.script(List.of(List.of("< header { revision: 7 } created: true", event(0, "a", 8))));
        CompletableFuture<Integer> exit = ctl.start(input, "--endpoints", endpoint(), "watch", "-i");

        type("put a b");
        type("");
        ctl.err.await("Invalid command: put a b (watch and progress supported)\nInvalid command:  (watch");
        type("watch a");
        ctl.out.await("v8\n");
        type("watch --colour");

        assertThat(exit.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(128);
        assertThat(ctl.err.text()).endsWith("Error: unknown flag: --colour\n");
    }

    @Test
    void moreLinesThanFitInTheQueueWaitForTheirTurn() throws Exception {
        int lines = 40;
        StringBuilder expected = new StringBuilder();
        CountDownLatch open = new CountDownLatch(1);
        ctl.err.holdBack(open);
        CompletableFuture<Integer> exit = ctl.start(input, "--endpoints", endpoint(), "watch", "-i");

        for (int i = 0; i < lines; i++) {
            type("line " + i);
            expected.append("Invalid command: line ").append(i).append(" (watch and progress supported)\n");
        }
        ctl.err.awaitWriter();
        open.countDown();
        keyboard.close();

        assertThat(exit.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(3);
        assertThat(ctl.err.text()).startsWith(expected.toString());
    }

    @Test
    void everyWatcherGoesOnAtTheNextEndpointWhenItsServerDies() throws Exception {
        try (ScriptedServer other = new ScriptedServer()) {
            server.script(List.of(
                    List.of("< header { revision: 7 } created: true"),
                    List.of("< header { revision: 8 } watch_id: 1 created: true", event(1, "b", 9))));
            other.script(List.of(
                    List.of("< header { revision: 20 } created: true", event(0, "a", 10)),
                    List.of("< header { revision: 20 } watch_id: 1 created: true", event(1, "b", 11))));
            CompletableFuture<Integer> exit = ctl.start(
                    input, "--endpoints", endpoint() + ",127.0.0.1:" + other.port(), "watch", "--interactive");

            type("watch a");
            type("watch b");
            ctl.out.await("v9\n");
            server.close();
            ctl.out.await("v11\n");
            keyboard.close();

            assertThat(exit.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(3);
            assertThat(ctl.out.text()).isEqualTo("PUT\nb\nv9\nPUT\na\nv10\nPUT\nb\nv11\n");
            assertThat(other.requests())
                    .containsExactlyInAnyOrder(
                            "Watch/Watch [hasleader: true] create_request { key: \"a\" start_revision: 8 }",
                            "Watch/Watch [hasleader: true] create_request { key: \"b\" start_revision: 10 }");
        }
    }

    @Test
    void readerThatIsGoneEndsTheWatch() throws Exception {
        server.script(List.of(List.of("< header { revision: 7 } created: true", event(0, "a", 8), event(0, "a", 9))));
        PrintStream gone = new PrintStream(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("broken pipe");
            }
        });
        CtlHarness.Written err = new CtlHarness.Written();

        CompletableFuture<Integer> exit = CompletableFuture.supplyAsync(() -> Ctl.run(
                new String[] {"--endpoints", endpoint(), "watch", "a"},
                new Console(
                        Map.of(),
                        InputStream.nullInputStream(),
                        gone,
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        System::nanoTime,
                        pause -> {})));

        assertThat(exit.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(6);
        assertThat(err.text()).isEqualTo("Error: cannot write to standard output\n");
    }

    private void type(String line) throws IOException {
        keyboard.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        keyboard.flush();
    }

    private String endpoint() {
        return "127.0.0.1:" + server.port();
    }

    private static String event(int watcher, String key, int revision) {
        return "< header { revision: %d } watch_id: %d events { kv { key: \"%s\" mod_revision: %d value: \"v%d\" } }"
                .formatted(revision, watcher, key, revision, revision);
    }
}
