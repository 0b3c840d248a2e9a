/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Folders with programs that were built from files of {@code verify/clients}: one a tool and content of those files, under
 * {@code target/tools}. Any thread; one build at a time.
 */
public final class ToolCache {
    /** Held for one build, minutes at worst: two threads must not build the same tool. */
    private static final ReentrantLock BUILDING = new ReentrantLock();

    private ToolCache() {}

    /** The folder {@code verify/clients} of the source tree. */
    public static Path clients() {
        Path clients = module().resolve("clients");
        if (!Files.isDirectory(clients)) {
            throw new AssertionError("not the source tree of this project: " + clients.toAbsolutePath());
        }
        return clients;
    }

    /** The folder of the module that the tests belong to: the working directory that the build gives them. */
    public static Path module() {
        return Path.of("").toAbsolutePath();
    }

    /** Returns the folder made by {@code build} from {@code inputs}; builds it if it is not there yet. */
    public static Path get(String name, List<Path> inputs, Consumer<Path> build) {
        BUILDING.lock();
        try {
            Path tools = Files.createDirectories(module().resolve("target/tools"));
            Path ready = tools.resolve(name + "-" + digest(inputs));
            if (!Files.isDirectory(ready)) {
                Path fresh = Files.createTempDirectory(tools, name);
                build.accept(fresh);
                Files.move(fresh, ready, StandardCopyOption.ATOMIC_MOVE);
            }
            return ready;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            BUILDING.unlock();
        }
    }

    private static String digest(List<Path> inputs) throws IOException {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            for (Path input : inputs) {
                sha.update(Files.readAllBytes(input));
            }
            return HexFormat.of().formatHex(sha.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
