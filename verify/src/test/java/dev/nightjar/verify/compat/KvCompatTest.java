/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.ServerKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Every script on Nightjar and on a real etcd: both must give the recorded answers, and so the same ones. With the system
 * property {@value #RECORD_PROPERTY} the answers are recorded anew instead, from etcd.
 */
class KvCompatTest {
    private static final String RECORD_PROPERTY = "nightjar.verify.record";

    @TestFactory
    Stream<DynamicTest> nightjar_gives_the_recorded_answers() {
        return ServerKind.selected().contains(ServerKind.NIGHTJAR) ? plays(ServerKind.NIGHTJAR) : Stream.of();
    }

    @TestFactory
    @Tag("go")
    Stream<DynamicTest> etcd_gives_the_recorded_answers() {
        if (Boolean.getBoolean(RECORD_PROPERTY)) {
            return Script.all().stream()
                    .map(script -> DynamicTest.dynamicTest(
                            "record " + script.name(),
                            () -> withServer(ServerKind.ETCD, client -> script.record(client::answer))));
        }
        return plays(ServerKind.ETCD);
    }

    private static Stream<DynamicTest> plays(ServerKind kind) {
        return Script.all().stream()
                .map(script -> DynamicTest.dynamicTest(
                        script.name(), () -> withServer(kind, client -> play(script, kind, client))));
    }

    private static void play(Script script, ServerKind kind, ScriptClient client) {
        assertThat(script.steps()).isNotEmpty();
        List<String> expected = new ArrayList<>();
        List<String> got = new ArrayList<>();
        for (Script.Step step : script.steps()) {
            expected.add(step.request());
            expected.addAll(step.expected(kind));
            got.add(step.request());
            got.addAll(client.answer(step.request()));
        }
        assertThat(String.join("\n", got)).isEqualTo(String.join("\n", expected));
    }

    private static void withServer(ServerKind kind, Consumer<ScriptClient> work) throws Exception {
        Path directory = FreshServer.newDirectory();
        try (var server = kind.on(directory, List.of())) {
            server.start();
            try (ApiClient api = new ApiClient(server.endpoint())) {
                work.accept(new ScriptClient(api));
            }
        }
        FreshServer.deleteTree(directory);
    }
}
