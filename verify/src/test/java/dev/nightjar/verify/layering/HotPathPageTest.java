/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.layering;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Walks the list of docs/internals/a-put-and-its-watchers.md against the sources. */
final class HotPathPageTest {
    private static final Pattern ITEM =
            Pattern.compile("(?m)^(\\d+)\\. `(dev\\.nightjar\\.[\\w.]+)`((?:.|\\n(?!\\d+\\. |\\n))*)");
    private static final Pattern HAND_OVER = Pattern.compile("hands\\s+over\\s+by\\s+`(\\w+)`");

    private record Station(int number, String className, String text) {}

    private static Path root() {
        Path module = Path.of("").toAbsolutePath();
        return Objects.requireNonNull(module.getParent(), "tests run in the directory of their module");
    }

    private static List<Station> stations() throws IOException {
        String page = Files.readString(root().resolve("docs/internals/a-put-and-its-watchers.md"));
        List<Station> stations = new ArrayList<>();
        Matcher matcher = ITEM.matcher(page);
        while (matcher.find()) {
            stations.add(new Station(Integer.parseInt(matcher.group(1)), matcher.group(2), matcher.group(3)));
        }
        return stations;
    }

    private static String source(Station station) throws IOException {
        String relative = "src/main/java/" + station.className().replace('.', '/') + ".java";
        try (Stream<Path> modules = Files.list(root())) {
            List<Path> found = modules.map(module -> module.resolve(relative))
                    .filter(Files::exists)
                    .toList();
            assertThat(found).as("source of %s", station.className()).hasSize(1);
            return Files.readString(found.getFirst());
        }
    }

    @Test
    void the_list_has_ten_classes_in_order() throws IOException {
        assertThat(stations()).extracting(Station::number).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    }

    @Test
    void each_class_exists_and_says_which_thread_owns_it_or_that_any_may_call() throws IOException {
        for (Station station : stations()) {
            assertThat(source(station)).as(station.className()).containsPattern("(?i)thread|loop");
        }
    }

    @Test
    void each_class_and_its_successor_know_the_type_that_is_handed_over() throws IOException {
        List<Station> stations = stations();
        for (int i = 0; i + 1 < stations.size(); i++) {
            Station station = stations.get(i);
            Matcher matcher = HAND_OVER.matcher(station.text());
            assertThat(matcher.find())
                    .as("%s names its hand-over", station.className())
                    .isTrue();
            String type = matcher.group(1);
            assertThat(source(station)).as(station.className()).containsPattern("\\b" + type + "\\b");
            assertThat(source(stations.get(i + 1)))
                    .as(stations.get(i + 1).className())
                    .containsPattern("\\b" + type + "\\b");
        }
    }
}
