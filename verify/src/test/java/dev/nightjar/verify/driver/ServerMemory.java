/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the system says a process holds in memory, in bytes; a value. */
public record ServerMemory(long residentBytes, long anonymousBytes) {
    /** {@code residentBytes} counts mapped files too; {@code anonymousBytes} is what the process itself asked for. */
    public static ServerMemory of(ServerUnderTest server) {
        try {
            List<String> lines = Files.readAllLines(Path.of("/proc/" + server.pid() + "/status"));
            return new ServerMemory(kibibytes(lines, "VmRSS:") * 1024, kibibytes(lines, "RssAnon:") * 1024);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long kibibytes(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).replace("kB", "").strip())
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow(() -> new AssertionError("the system does not tell " + name));
    }
}
