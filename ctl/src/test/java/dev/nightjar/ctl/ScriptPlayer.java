/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl;

import dev.nightjar.ctl.Script.Exchange;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Two scripted servers, and scripts played against them; owned by the thread of its test. */
final class ScriptPlayer implements AutoCloseable {

    /** What came of a command, in the form of scripts. */
    record Outcome(List<String> requests, String output, String error, int exit) {}

    /** Runs a command: the client of this project, or another. */
    interface Client {
        Result run(Script script, List<String> words, byte[] input) throws Exception;
    }

    /** What a client left behind. */
    record Result(byte[] output, byte[] error, int exit) {}

    private final ScriptedServer first;
    private final ScriptedServer second;
    /** Has a port and does not listen on it, so that nobody else can. */
    private final Socket unused;

    private final int unusedPort;

    ScriptPlayer() throws IOException {
        first = new ScriptedServer();
        second = new ScriptedServer();
        unused = new Socket();
        unused.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        unusedPort = unused.getLocalPort();
    }

    /** Plays a script with a client. */
    Outcome play(Script script, Client client) throws Exception {
        first.script(answers(script, 1));
        second.script(answers(script, 2));
        List<String> words = new ArrayList<>();
        if (!script.command.contains("--endpoints") && !script.environment.containsKey("ETCDCTL_ENDPOINTS")) {
            words.add("--endpoints=" + endpoint(first.port()));
        }
        script.words().forEach(word -> words.add(real(word)));
        Result result = client.run(script, words, input(script));
        List<String> requests = new ArrayList<>();
        first.requests().forEach(request -> requests.add("> " + request));
        second.requests().forEach(request -> requests.add(">2 " + request));
        return new Outcome(
                requests,
                symbolic(Visible.text(result.output())),
                symbolic(Visible.text(result.error())),
                result.exit());
    }

    /** What a script says must come of it. */
    static Outcome expected(Script script) {
        List<String> requests = new ArrayList<>();
        for (int server = 1; server <= 2; server++) {
            for (Exchange exchange : script.exchanges) {
                if (exchange.server == server) {
                    requests.add((server == 1 ? "> " : ">2 ") + exchange.request);
                }
            }
        }
        return new Outcome(requests, script.output.toString(), script.error.toString(), script.exit);
    }

    String real(String text) {
        return text.replace("127.0.0.1:PORT1", endpoint(first.port()))
                .replace("127.0.0.1:PORT2", endpoint(second.port()))
                .replace("127.0.0.1:PORT0", endpoint(unusedPort));
    }

    @Override
    public void close() throws IOException {
        first.close();
        second.close();
        unused.close();
    }

    private List<List<String>> answers(Script script, int server) {
        return script.exchanges.stream()
                .filter(exchange -> exchange.server == server)
                .map(exchange -> exchange.answers.stream().map(this::real).toList())
                .toList();
    }

    private String symbolic(String text) {
        return text.replace(endpoint(first.port()), "127.0.0.1:PORT1")
                .replace(endpoint(second.port()), "127.0.0.1:PORT2")
                .replace(endpoint(unusedPort), "127.0.0.1:PORT0");
    }

    private static byte[] input(Script script) {
        return script.input.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    private static String endpoint(int port) {
        return "127.0.0.1:" + port;
    }
}
