/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Where the scripts lie. */
final class ScriptFiles {

    private static final Path FOLDER = Path.of("src/test/resources/scripts");

    private ScriptFiles() {}

    static List<Path> all() {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
