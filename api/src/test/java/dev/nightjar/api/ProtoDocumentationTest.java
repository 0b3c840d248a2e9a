/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The .proto sources are the reference of the API: whoever adds a declaration says what it means. */
class ProtoDocumentationTest {

    private static final Pattern DECLARATION = Pattern.compile(
            "\\s*(message|enum|service|oneof|rpc) .*|\\s*(repeated |optional )?[\\w.]+ \\w+ = \\d+.*|\\s*[A-Z_]+ = \\d+.*");
    private static final Path SOURCES = Path.of("src/main/proto");

    @Test
    void everyDeclarationHasACommentRightAboveIt() throws IOException {
        List<String> bare = new ArrayList<>();
        int declarations = 0;
        for (Path source : sources()) {
            List<String> lines = Files.readAllLines(source);
            for (int i = 1; i < lines.size(); i++) {
                if (DECLARATION.matcher(lines.get(i)).matches()) {
                    declarations++;
                    if (!lines.get(i - 1).strip().startsWith("//")) {
                        bare.add(source + ":" + (i + 1) + ": " + lines.get(i).strip());
                    }
                }
            }
        }

        assertThat(declarations).isGreaterThan(ApiTable.rows().size());
        assertThat(bare).isEmpty();
    }

    @Test
    void everyFileCarriesTheLicence() throws IOException {
        for (Path source : sources()) {
            assertThat(Files.readAllLines(source).getFirst())
                    .as("%s", source)
                    .isEqualTo("// Copyright The Nightjar Authors.");
        }
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            List<Path> protos =
                    files.filter(file -> file.toString().endsWith(".proto")).toList();
            assertThat(protos).isNotEmpty();
            return protos;
        }
    }
}
