/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The archive of loaded classes that makes starts twice as fast, as the start script makes one for users: nearly every test
 * starts a server. Any thread; one archive is made at a time.
 *
 * <p>It lies at {@code target/server-<JVM>.aot} and fits the jars that it was made from. Before the modules are packed
 * there are folders on the class path, which a JVM does not archive: servers start without one then.
 */
final class ClassArchive {
    private static @Nullable List<String> options;

    private ClassArchive() {}

    /** The options of a JVM that make it use the archive; none if there can be no archive. */
    static synchronized List<String> options() {
        List<String> known = options;
        if (known == null) {
            known = find();
            options = known;
        }
        return known;
    }

    private static List<String> find() {
        if (NightjarProcess.classPath().stream().anyMatch(Files::isDirectory)) {
            return List.of();
        }
        Path archive = ToolCache.module().resolve("target").resolve("server-%s.aot".formatted(Runtime.version()));
        try {
            if (!isOfThisBuild(archive)) {
                make(archive);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.of("-XX:AOTCache=" + archive);
    }

    private static boolean isOfThisBuild(Path archive) throws IOException {
        if (!Files.exists(archive)) {
            return false;
        }
        for (Path jar : NightjarProcess.classPath()) {
            if (Files.getLastModifiedTime(jar).compareTo(Files.getLastModifiedTime(archive)) > 0) {
                return false;
            }
        }
        return true;
    }

    /** A server that answers its first requests and is asked to end leaves the archive. */
    private static void make(Path archive) throws IOException {
        Path directory = FreshServer.newDirectory();
        Path made = directory.resolve("server.aot");
        try (ServerUnderTest server =
                new NightjarProcess(directory, List.of(), List.of("-XX:AOTCacheOutput=" + made))) {
            server.start();
            try (ApiClient api = new ApiClient(server.endpoint());
                    WatchCall watch = WatchCall.open(api)) {
                var _ = watch.created(WatchCall.key("k"));
                api.put("k", "v");
                var _ = watch.next();
                var _ = api.kv()
                        .range(RangeRequest.newBuilder()
                                .setKey(ByteString.copyFromUtf8("k"))
                                .build());
            }
            var _ = server.terminate();
        }
        Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
        FreshServer.deleteTree(directory);
    }
}
