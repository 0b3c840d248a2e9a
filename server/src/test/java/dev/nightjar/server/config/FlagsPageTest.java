/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Keeps the page and the table equal. With {@code -Dnightjar.write.docs=true} it writes the page instead. */
class FlagsPageTest {
    private static final Path PAGE = Path.of("..", "docs", "reference", "flags.md");

    @Test
    void the_reference_page_is_made_from_the_table() throws IOException {
        if (Boolean.getBoolean("nightjar.write.docs")) {
            Files.writeString(PAGE, Usage.page());
        }
        assertThat(Files.readString(PAGE))
                .as("stale page: run ./mvnw -pl server -am test -Dnightjar.write.docs=true")
                .isEqualTo(Usage.page());
    }

    @Test
    void help_names_each_flag_once() {
        for (Flag<?> flag : FlagTable.ALL) {
            assertThat(Usage.flags())
                    .containsOnlyOnce("  --" + flag.name() + (flag.defaultText().isEmpty() ? "\n" : " '"));
        }
    }

    @Test
    void each_default_is_a_value_that_its_flag_takes() throws ConfigException {
        for (Flag<?> flag : FlagTable.ALL) {
            assertThat(flag.type().parse(flag.defaultText())).as(flag.name()).isNotNull();
        }
    }
}
