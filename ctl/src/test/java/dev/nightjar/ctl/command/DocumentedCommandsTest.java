/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;

/** What the documentation tells its readers to type. */
class DocumentedCommandsTest {
    private static final Pattern CALL = Pattern.compile("nightjar ctl ([a-z]+)");

    @Test
    void everyCommandInTheDocumentationExists() throws IOException {
        Command root = RootCommand.class.getAnnotation(Command.class);
        Set<String> known = Arrays.stream(root.subcommands())
                .map(type -> type.getAnnotation(Command.class).name())
                .collect(Collectors.toSet());
        var unknown = new TreeMap<String, Path>();
        int calls = 0;
        try (Stream<Path> docs = Files.walk(Path.of("..", "docs"))) {
            for (Path page : Stream.concat(Stream.of(Path.of("..", "README.md")), docs.filter(Files::isRegularFile))
                    .toList()) {
                Matcher call = CALL.matcher(Files.readString(page));
                while (call.find()) {
                    calls++;
                    if (!known.contains(call.group(1))) {
                        unknown.put(call.group(1), page);
                    }
                }
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(calls).isGreaterThan(known.size());
    }
}
