/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ToolCache;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Requests to a fresh store and the answers to them, as text. A request is a method and a message in protobuf's text form,
 * its answer the fields of the response message, one a line, or the status code and message of an error:
 *
 * <pre>
 * # Comments say what is looked at.
 * put key: "a" value: "1"
 * = @2                                          a header with cluster, member and term, at revision 2
 * range key: "a" revision: 9
 * ! OUT_OF_RANGE etcdserver: mvcc: required revision is a future revision
 * </pre>
 *
 * <p>Answers are recorded from a real etcd. Where Nightjar means to answer otherwise, the lines of etcd's answer begin with
 * {@code etcd}, the lines without are Nightjar's, and a comment says why.
 */
final class Script {
    private static final String ETCD = "etcd";

    /** One request, the text before it and the answers to it. */
    record Step(List<String> before, String request, List<String> answer, List<String> etcdAnswer) {
        List<String> expected(ServerKind kind) {
            return kind == ServerKind.ETCD && !etcdAnswer.isEmpty() ? etcdAnswer : answer;
        }

        private List<String> lines() {
            return Stream.of(
                            before.stream(),
                            Stream.of(request),
                            answer.stream(),
                            etcdAnswer.stream().map(line -> ETCD + line))
                    .flatMap(lines -> lines)
                    .toList();
        }
    }

    private final Path file;
    private final List<Step> steps;

    private Script(Path file, List<Step> steps) {
        this.file = file;
        this.steps = steps;
    }

    /** All scripts of the project. */
    static List<Script> all() {
        Path folder = ToolCache.module().resolve("src/test/resources/compat");
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().map(Script::read).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Script read(Path file) {
        try {
            return new Script(file, parse(Files.readAllLines(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Step> parse(List<String> lines) {
        List<Step> steps = new ArrayList<>();
        List<String> before = new ArrayList<>();
        for (String line : lines) {
            if (line.isBlank() || line.startsWith("#")) {
                before.add(line);
            } else if (isAnswer(line)) {
                steps.getLast().answer().add(line);
            } else if (line.startsWith(ETCD)) {
                steps.getLast().etcdAnswer().add(line.substring(ETCD.length()));
            } else {
                steps.add(new Step(List.copyOf(before), line, new ArrayList<>(), new ArrayList<>()));
                before.clear();
            }
        }
        return steps;
    }

    private static boolean isAnswer(String line) {
        return line.startsWith("=") || line.startsWith("!");
    }

    String name() {
        return file.getFileName().toString();
    }

    List<Step> steps() {
        return List.copyOf(steps);
    }

    /** Writes the file anew with the answers that etcd gives; answers that are Nightjar's own stay as they are. */
    void record(Function<String, List<String>> etcd) {
        List<String> lines = new ArrayList<>();
        for (Step step : steps) {
            List<String> now = etcd.apply(step.request());
            boolean differs = !step.etcdAnswer().isEmpty();
            lines.addAll(
                    new Step(step.before(), step.request(), differs ? step.answer() : now, differs ? now : List.of())
                            .lines());
        }
        try {
            Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
