/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FreshServerTest {
    @Test
    void a_directory_of_a_server_is_deleted_with_all_below_it() throws IOException {
        Path directory = FreshServer.newDirectory();
        Files.createDirectories(directory.resolve("a/b"));
        Files.writeString(directory.resolve("a/b/c"), "c");
        FreshServer.deleteTree(directory);
        assertThat(directory).doesNotExist();
    }

    @Test
    void no_other_directory_is() throws IOException {
        Path made = FreshServer.newDirectory();
        for (Path other :
                new Path[] {Path.of(""), made.getParent(), made.resolve("../.."), made.resolve(".."), made.getRoot()}) {
            assertThatThrownBy(() -> FreshServer.deleteTree(other)).isInstanceOf(IllegalArgumentException.class);
        }
        FreshServer.deleteTree(made);
    }
}
