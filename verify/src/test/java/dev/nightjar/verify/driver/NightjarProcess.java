/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Nightjar from the classes of this build, in a JVM of its own, or any other way to start it that the system property
 * {@value #COMMAND_PROPERTY} names (a start script, say). Owned by the test's thread.
 */
public final class NightjarProcess extends ServerUnderTest {
    /** System property: program, and arguments separated by blanks, to start instead of the classes of this build. */
    public static final String COMMAND_PROPERTY = "nightjar.verify.command";

    private static final Pattern HEAP_USED = Pattern.compile("heap .*used (\\d+)K");

    /** What the compilers hold while they work, and what is kept for a few seconds for the next to work. */
    private static final Pattern COMPILERS =
            Pattern.compile("(?:Compiler|Arena Chunk) \\(reserved=\\d+KB, committed=(\\d+)KB");

    private static final long IDLE_COMPILERS_KIB = 2 << 10;

    private static final String MAIN_CLASS = "dev.nightjar.server.main.Main";

    /** The options of the start script, so that what is measured here is what users get. */
    private static final List<String> JVM_FLAGS = List.of(
            "-XX:+UseCompactObjectHeaders",
            "-Xlog:disable",
            "-Dio.netty.leakDetection.level=disabled",
            "-Dio.netty.jfr.enabled=false",
            "-XX:+UseG1GC",
            "-XX:InitialHeapSize=64m",
            "-XX:MinHeapSize=16m",
            "-XX:G1HeapRegionSize=2m",
            "-XX:+UseTransparentHugePages",
            "-XX:G1PeriodicGCInterval=300000",
            "-XX:MinHeapFreeRatio=20",
            "-XX:MaxHeapFreeRatio=40",
            "-XX:TrimNativeHeapInterval=60000",
            "-XX:MaxRAMPercentage=50",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:NativeMemoryTracking=summary", // the one that the script has not: it tells what the compilers hold
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Dcom.google.protobuf.use_unsafe_pre22_gencode=true");

    private final List<String> archiveOptions;

    NightjarProcess(Path directory, List<String> flags) {
        this(directory, flags, ClassArchive.options());
    }

    /** @param archiveOptions what the JVM is to do with an archive of classes: use one or make one */
    NightjarProcess(Path directory, List<String> flags, List<String> archiveOptions) {
        super(directory, flags);
        this.archiveOptions = archiveOptions;
    }

    @Override
    List<String> program() {
        return program(archiveOptions, javaOptions());
    }

    private static List<String> program(List<String> archiveOptions, List<String> javaOptions) {
        String override = System.getProperty(COMMAND_PROPERTY, "").strip();
        if (!override.isEmpty()) {
            return Arrays.asList(override.split(" +", -1));
        }
        List<String> command = new ArrayList<>();
        command.add(javaTool("java"));
        command.addAll(JVM_FLAGS);
        command.addAll(archiveOptions);
        command.addAll(javaOptions);
        String jars = classPath().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        command.addAll(List.of("-cp", jars, MAIN_CLASS));
        return command;
    }

    /** Runs the program with other words than those that start a server, to its end. */
    public static Commands.Result run(Duration limit, String... arguments) {
        List<String> command = new ArrayList<>(program(ClassArchive.options(), List.of()));
        command.addAll(Arrays.asList(arguments));
        return Commands.attempt(Path.of("."), limit, command, Map.of());
    }

    /** What the server does by itself every few minutes when there is little to do, at once. */
    @Override
    public void settleMemory() {
        Await.until("compilers at rest", Duration.ofMinutes(2), () -> compilersKib() < IDLE_COMPILERS_KIB);
        var _ = jcmd("GC.run");
        var _ = jcmd("System.trim_native_heap");
    }

    private long compilersKib() {
        return COMPILERS
                .matcher(jcmd("VM.native_memory"))
                .results()
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .sum();
    }

    @Override
    public OptionalLong liveHeapBytes() {
        String info = jcmd("GC.heap_info");
        Matcher used = HEAP_USED.matcher(info);
        if (!used.find()) {
            throw new AssertionError("jcmd does not tell the size of the heap: " + info);
        }
        return OptionalLong.of(Long.parseLong(used.group(1)) * 1024);
    }

    private String jcmd(String command) {
        return Commands.run(
                Path.of("."), Duration.ofMinutes(1), List.of(javaTool("jcmd"), Long.toString(pid()), command));
    }

    private static String javaTool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    /** What there is of this JVM's class path, without the tests, whose configuration files the server must not find. */
    static List<Path> classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.endsWith("test-classes"))
                .map(Path::of)
                .filter(Files::exists)
                .toList();
    }
}
