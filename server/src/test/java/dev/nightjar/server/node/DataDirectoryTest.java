/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.consensus.MemberId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DataDirectoryTest {
    private static final Identity FIRST = new Identity(-3, new MemberId(-5));
    private static final Identity OTHER = new Identity(7, new MemberId(8));

    @TempDir
    Path temporary;

    private Path root() {
        return temporary.resolve("data");
    }

    private void refused(String... words) {
        assertThatThrownBy(() -> DataDirectory.open(root(), FIRST))
                .isInstanceOf(UnusableFilesException.class)
                .hasMessageContainingAll(words);
    }

    @Test
    void a_new_directory_gets_the_identity_and_keeps_it() throws Exception {
        try (DataDirectory created = DataDirectory.open(root(), FIRST)) {
            assertThat(created.identity()).isEqualTo(FIRST);
        }
        try (DataDirectory again = DataDirectory.open(root(), OTHER)) {
            assertThat(again.identity()).isEqualTo(FIRST);
        }
        assertThat(Files.getPosixFilePermissions(root())).hasSize(3);
    }

    @Test
    void a_directory_in_use_is_refused_until_it_is_given_free() throws Exception {
        try (DataDirectory used = DataDirectory.open(root(), FIRST)) {
            assertThat(used.wal()).isEqualTo(root().resolve("wal"));
            refused("is used by another process");
        }
        DataDirectory.open(root(), FIRST).close();
    }

    @Test
    void what_belongs_to_others_is_named_and_not_touched() throws IOException {
        Files.createDirectory(root());
        Files.writeString(root().resolve("thesis.txt"), "years of work");
        refused("is not empty and not Nightjar's", "thesis.txt");
        try (var names = Files.list(root())) {
            assertThat(names).hasSize(1);
        }
    }

    @Test
    void of_many_foreign_files_only_some_are_named() throws IOException {
        Files.createDirectory(root());
        for (int i = 10; i < 30; i++) {
            Files.createFile(root().resolve("page" + i));
        }
        refused("it holds page10, page11, page12, page13, page14 and 15 more");
    }

    @Test
    void an_etcd_servers_directory_is_recognised() throws IOException {
        Files.createDirectories(root().resolve("member"));
        refused("belongs to an etcd server");
    }

    @Test
    void the_root_of_a_fresh_volume_is_taken() throws Exception {
        Files.createDirectories(root().resolve("lost+found"));
        DataDirectory.open(root(), FIRST).close();
    }

    @Test
    void a_form_of_a_later_version_is_refused_and_the_directory_left_free() throws Exception {
        DataDirectory.open(root(), FIRST).close();
        String text = Files.readString(root().resolve("format"));
        Files.writeString(root().resolve("format"), text.replace("nightjar 1", "nightjar 2"));
        refused("is not of a form that this version knows", "nightjar 2");
        Files.writeString(root().resolve("format"), text);
        DataDirectory.open(root(), FIRST).close();
    }

    @Test
    void a_start_that_was_cut_off_before_the_format_was_written_is_made_good() throws Exception {
        Files.createDirectory(root());
        Files.writeString(root().resolve("format.tmp"), "nightj");
        Files.createFile(root().resolve("LOCK"));
        try (DataDirectory opened = DataDirectory.open(root(), FIRST)) {
            assertThat(opened.identity()).isEqualTo(FIRST);
        }
    }

    @Test
    void a_file_in_the_way_is_told() throws IOException {
        Files.createFile(root());
        refused("cannot use the data directory", root().toString());
    }
}
