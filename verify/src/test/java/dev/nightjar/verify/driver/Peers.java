/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The programs of the etcd project, built from the pinned module {@code verify/clients/peers} unless the system property
 * {@value #ETCD_PROPERTY} names an etcd (its companions then lie beside it). Any thread.
 */
public final class Peers {
    /** System property: path of an etcd to use instead of building one. */
    public static final String ETCD_PROPERTY = "nightjar.verify.etcd";

    private Peers() {}

    public static Path etcd() {
        String given = System.getProperty(ETCD_PROPERTY, "");
        return given.isEmpty() ? built("etcd", "go.etcd.io/etcd/server/v3") : existing(Path.of(given));
    }

    public static Path etcdctl() {
        String given = System.getProperty(ETCD_PROPERTY, "");
        return given.isEmpty()
                ? built("etcdctl", "go.etcd.io/etcd/etcdctl/v3")
                : existing(Path.of(given).resolveSibling("etcdctl"));
    }

    private static Path existing(Path program) {
        if (!Files.isExecutable(program)) {
            throw new AssertionError(ETCD_PROPERTY + ": no program at " + program);
        }
        return program.toAbsolutePath();
    }

    private static Path built(String name, String goPackage) {
        Path module = ToolCache.clients().resolve("peers");
        List<Path> inputs = List.of(module.resolve("go.mod"), module.resolve("go.sum"));
        return ToolCache.get(
                        name,
                        inputs,
                        target -> Commands.run(
                                module,
                                Duration.ofMinutes(15),
                                List.of(
                                        "go",
                                        "build",
                                        "-trimpath",
                                        "-o",
                                        target.resolve(name).toString(),
                                        goPackage)))
                .resolve(name);
    }
}
