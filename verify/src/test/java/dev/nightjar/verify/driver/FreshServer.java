/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * JUnit extension: for each test a running server on an empty directory, and a client of it. The files are kept, and the
 * server's last words added to the failure, when a test fails. Owned by the test's thread.
 */
public final class FreshServer implements BeforeEachCallback, AfterEachCallback, TestExecutionExceptionHandler {
    private final ServerKind kind;
    private final List<String> flags;
    private @Nullable Path directory;
    private @Nullable ServerUnderTest server;
    private @Nullable ApiClient api;

    public FreshServer(ServerKind kind, String... flags) {
        this.kind = kind;
        this.flags = List.of(flags);
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        directory = newDirectory();
        server = kind.on(directory, flags);
        server.start();
        api = new ApiClient(server.endpoint());
    }

    /** An empty directory below {@code target/servers}, for one server or a few. */
    public static Path newDirectory() throws IOException {
        return Files.createTempDirectory(Files.createDirectories(servers()), "s");
    }

    private static Path servers() {
        return ToolCache.module().resolve("target/servers");
    }

    public ServerKind kind() {
        return kind;
    }

    public ServerUnderTest server() {
        return running(server);
    }

    public ApiClient api() {
        return running(api);
    }

    private static <T> T running(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("only inside a test");
        }
        return part;
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        if (server != null) {
            failure.addSuppressed(new AssertionError(
                    server + " said last:\n" + server.output().tail()));
        }
        throw failure;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (api != null) {
            api.close();
        }
        if (server != null) {
            server.close();
        }
        if (directory != null && context.getExecutionException().isEmpty()) {
            deleteTree(directory);
        }
    }

    /** Deletes a directory that {@link #newDirectory} made, and all below it; refuses any other. */
    public static void deleteTree(Path root) {
        Path absolute = root.toAbsolutePath().normalize();
        if (!absolute.startsWith(servers()) || absolute.equals(servers())) {
            throw new IllegalArgumentException("not a directory of a server: " + root);
        }
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
