/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * One command, what it and a server say to each other, and what it prints. Mutable; owned by the thread of its test.
 *
 * <p>The form in a file, each line with a mark that says what it is:
 *
 * <pre>
 *   === a title
 *   # a remark
 *   differs: why etcd's own client does it another way; without this line, both must do the same
 *   env NAME=value
 *   $ get --prefix "a b"
 *   &lt;&lt; a line of standard input
 *   &gt; KV/Range key: "a"                    the request expected next by the first server; &gt;2 for the second
 *   &lt; kvs { key: "a" value: "b" }          an answer to it
 *   &lt;! NOT_FOUND etcdserver: no such thing  the end of the call
 *   | a line of standard output; with |~ no line end follows
 *   ! a line of standard error
 *   exit 1
 * </pre>
 *
 * <p>The endpoints of the servers are written {@code 127.0.0.1:PORT1}, {@code 127.0.0.1:PORT2} and, where nobody listens,
 * {@code 127.0.0.1:PORT0}.
 */
final class Script {

    /** A request and the answers to it. */
    static final class Exchange {
        final int server;
        String request;
        final List<String> answers = new ArrayList<>();

        Exchange(int server, String request) {
            this.server = server;
            this.request = request;
        }
    }

    final String title;
    final List<String> remarks = new ArrayList<>();
    final Map<String, String> environment = new TreeMap<>();
    final List<Exchange> exchanges = new ArrayList<>();
    final StringBuilder input = new StringBuilder();
    final StringBuilder output = new StringBuilder();
    final StringBuilder error = new StringBuilder();
    String differs = "";
    String command = "";
    int exit;

    private Script(String title) {
        this.title = title;
    }

    static List<Script> read(Path file) {
        List<Script> scripts = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith("=== ")) {
                    scripts.add(new Script(line.substring(4)));
                } else if (!line.isEmpty()) {
                    scripts.getLast().add(line);
                }
            }
        } catch (IOException | RuntimeException e) {
            throw new IllegalStateException("cannot read " + file, e);
        }
        return scripts;
    }

    private void add(String line) {
        int blank = line.indexOf(' ');
        String mark = blank < 0 ? line : line.substring(0, blank);
        String rest = blank < 0 ? "" : line.substring(blank + 1);
        switch (mark) {
            case "#" -> remarks.add(rest);
            case "differs:" -> differs = rest;
            case "env" -> environment.put(rest.substring(0, rest.indexOf('=')), rest.substring(rest.indexOf('=') + 1));
            case "$" -> command = rest;
            case "<<" -> input.append(rest).append('\n');
            case ">" -> exchanges.add(new Exchange(1, rest));
            case ">2" -> exchanges.add(new Exchange(2, rest));
            case "<", "<!" -> exchanges.getLast().answers.add(line);
            case "|" -> output.append(rest).append('\n');
            case "|~" -> output.append(rest);
            case "!" -> error.append(rest).append('\n');
            case "exit" -> exit = Integer.parseInt(rest);
            default -> throw new IllegalArgumentException("a line with an unknown mark: " + line);
        }
    }

    static void write(Path file, List<Script> scripts) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Script script : scripts) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            script.appendTo(lines);
        }
        Files.write(file, lines);
    }

    private void appendTo(List<String> lines) {
        lines.add("=== " + title);
        remarks.forEach(remark -> lines.add("# " + remark));
        if (!differs.isEmpty()) {
            lines.add("differs: " + differs);
        }
        environment.forEach((name, value) -> lines.add("env " + name + "=" + value));
        lines.add("$ " + command);
        input.toString().lines().forEach(line -> lines.add(marked("<<", line)));
        for (Exchange exchange : exchanges) {
            lines.add(marked(exchange.server == 1 ? ">" : ">" + exchange.server, exchange.request));
            lines.addAll(exchange.answers);
        }
        text(output, "|", lines);
        text(error, "!", lines);
        lines.add("exit " + exit);
    }

    private static void text(StringBuilder text, String mark, List<String> lines) {
        if (text.isEmpty()) {
            return;
        }
        String[] parts = text.toString().split("\n", -1);
        Stream.of(parts).limit(parts.length - 1).forEach(line -> lines.add(marked(mark, line)));
        if (!parts[parts.length - 1].isEmpty()) {
            lines.add(marked(mark + "~", parts[parts.length - 1]));
        }
    }

    private static String marked(String mark, String text) {
        return text.isEmpty() ? mark : mark + " " + text;
    }

    /** The words of the command: parted by blanks, in double quotes with blanks and escapes such as {@code \n}. */
    List<String> words() {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean quoted = false;
        boolean open = false;
        for (int i = 0; i < command.length(); i++) {
            char c = command.charAt(i);
            if (c == '"') {
                quoted = !quoted;
                open = true;
            } else if (c == ' ' && !quoted) {
                if (open) {
                    words.add(word.toString().translateEscapes());
                }
                word.setLength(0);
                open = false;
            } else {
                word.append(c);
                open = true;
            }
        }
        if (open) {
            words.add(word.toString().translateEscapes());
        }
        return words;
    }

    @Override
    public String toString() {
        return title;
    }
}
