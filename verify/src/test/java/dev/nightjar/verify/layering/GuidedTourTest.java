/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.layering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.verify.driver.ToolCache;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The page that leads a newcomer along a put to its watchers. Each stop is a line of its numbered list with a class name in
 * full, in back quotes ({@code 3. `dev.nightjar.x.Y` does this}); the source file of each class says the simple name of the
 * next one, so that a reader who has lost the page can still go on.
 */
class GuidedTourTest {
    private static final Path ROOT =
            Optional.ofNullable(ToolCache.module().getParent()).orElseThrow();
    private static final Path PAGE = ROOT.resolve("docs/internals/a-put-and-its-watchers.md");
    private static final Pattern STOP = Pattern.compile("^\\d+\\. .*?`(dev\\.nightjar\\.([a-z]+)\\.[\\w.]*)`.*");
    private static final Pattern NUMBERED = Pattern.compile("^\\d+\\. .*");

    /** Socket, service, batcher, consensus, apply, store, history, shard: a put passes no fewer. */
    private static final int FEWEST_STOPS = 8;

    private record Stop(String className, Path source) {
        String simpleName() {
            return className.substring(className.lastIndexOf('.') + 1);
        }
    }

    @Test
    void every_numbered_line_names_a_class() throws IOException {
        List<String> numbered = Files.readAllLines(PAGE).stream()
                .filter(NUMBERED.asMatchPredicate())
                .toList();
        assertThat(numbered).hasSizeGreaterThanOrEqualTo(FEWEST_STOPS).allMatch(STOP.asMatchPredicate());
    }

    @Test
    void every_class_exists() throws IOException {
        assertThat(stops()).allSatisfy(stop -> assertThat(stop.source()).isRegularFile());
    }

    @Test
    void every_class_names_the_next() throws IOException {
        List<Stop> stops = stops();
        for (int i = 0; i + 1 < stops.size(); i++) {
            String next = stops.get(i + 1).simpleName();
            assertThat(Files.readString(stops.get(i).source()))
                    .as("%s leads on to %s", stops.get(i).className(), next)
                    .containsPattern("\\b" + next + "\\b");
        }
    }

    private static List<Stop> stops() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .map(STOP::matcher)
                .filter(Matcher::matches)
                .map(match -> new Stop(
                        match.group(1),
                        ROOT.resolve(match.group(2))
                                .resolve("src/main/java")
                                .resolve(match.group(1).replace('.', '/') + ".java")))
                .toList();
    }
}
