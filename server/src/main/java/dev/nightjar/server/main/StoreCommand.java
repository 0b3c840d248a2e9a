/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.main;

import dev.nightjar.core.mvcc.StoreFigures;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.server.config.LogLevel;
import dev.nightjar.server.config.ServerConfig;
import dev.nightjar.server.config.ServerConfig.LogFormat;
import dev.nightjar.server.node.StoppedMember;
import dev.nightjar.server.node.UnusableFilesException;
import dev.nightjar.server.observe.Logging;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code nightjar store}: looks at the files of a server that does not run, and changes none. Main thread.
 *
 * <p>Exit codes: 0 if all is well, 1 if something is damaged or cannot be read, 2 for a command line that cannot be read.
 */
final class StoreCommand {

    /** The word by which the program knows it. */
    static final String NAME = "store";

    private static final String USAGE = """
            Look at the files of a server that does not run. Nothing is changed.

            Usage:

              nightjar store verify [--data-dir DIR]
                Check every frame, the snapshots, and the index image against the records. Prints a line for
                each check and names file and offset of each damage. Exit code 1 if there is any.

              nightjar store stat [--data-dir DIR] [-w simple|json]
                Show what the store holds and how much room it takes.

              nightjar store -h | --help
                Show this text.

            DIR is the server's; without it the one in the environment (NIGHTJAR_DATA_DIR, ETCD_DATA_DIR), else
            default.etcd in the working directory.
            """;

    private static final int OK = 0;
    private static final int FAILED = 1;
    private static final int MALFORMED = 2;

    private final PrintStream out;
    private final PrintStream err;
    private @Nullable String directory;
    private String format = "simple";
    private boolean help;

    StoreCommand(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /** Does what is asked; returns the exit code. */
    int run(List<String> arguments, Map<String, String> environment) {
        List<String> words = new ArrayList<>();
        String wrong = read(arguments, words);
        if (wrong != null) {
            return malformed(wrong);
        }
        if (help) {
            out.print(USAGE);
            return OK;
        }
        if (words.size() != 1) {
            return malformed(words.isEmpty() ? "a command is missing" : "one command at a time");
        }
        Path data = directory(environment);
        if (!quiet()) {
            return FAILED;
        }
        return switch (words.getFirst()) {
            case "verify" -> format.equals("simple") ? verify(data) : malformed("verify prints text only");
            case "stat" -> stat(data);
            default -> malformed("unknown command \"" + words.getFirst() + "\"");
        };
    }

    /** What libraries have to say stays out of what is printed here. */
    private boolean quiet() {
        try {
            Logging.start(new ServerConfig.Log(LogLevel.ERROR, LogFormat.CONSOLE, List.of("stderr")));
            return true;
        } catch (IOException e) {
            err.println("nightjar store: cannot open the log: " + e.getMessage());
            return false;
        }
    }

    private int malformed(String what) {
        err.println("nightjar store: " + what);
        err.print(USAGE);
        return MALFORMED;
    }

    /** Takes the flags in and collects the other words; returns what is wrong, null if nothing is. */
    private @Nullable String read(List<String> arguments, List<String> words) {
        for (int i = 0; i < arguments.size(); i++) {
            String word = arguments.get(i);
            if (!word.startsWith("-")) {
                words.add(word);
                continue;
            }
            int equals = word.indexOf('=');
            String name = (equals < 0 ? word : word.substring(0, equals)).replaceFirst("^--?", "");
            if (name.equals("help") || name.equals("h")) {
                help = true;
                continue;
            }
            if (!List.of("data-dir", "w", "write-out").contains(name)) {
                return "unknown flag: " + word;
            }
            if (equals < 0) {
                i++;
            }
            if (i == arguments.size()) {
                return "flag needs an argument: " + word;
            }
            String value = equals < 0 ? arguments.get(i) : word.substring(equals + 1);
            if (name.equals("data-dir")) {
                directory = value;
            } else if (value.equals("simple") || value.equals("json")) {
                format = value;
            } else {
                return "unknown form of output \"" + value + "\": simple or json";
            }
        }
        return null;
    }

    private Path directory(Map<String, String> environment) {
        if (directory != null) {
            return Path.of(directory);
        }
        return Path.of(Stream.of("NIGHTJAR_DATA_DIR", "ETCD_DATA_DIR")
                .map(name -> environment.getOrDefault(name, ""))
                .filter(value -> !value.isEmpty())
                .findFirst()
                .orElse("default.etcd"));
    }

    private int verify(Path data) {
        try (StoppedMember member = StoppedMember.open(data)) {
            return new StoreVerification(member, out).run() ? OK : FAILED;
        } catch (UnusableFilesException | IOException e) {
            return failed(e);
        }
    }

    private int stat(Path data) {
        try (StoppedMember member = StoppedMember.open(data)) {
            StoreFigures figures = StoreFigures.read(FileSystem.real(), member.store());
            StoreSummary summary = StoreSummary.of(member, figures);
            out.print(format.equals("json") ? summary.json() : summary.text());
            return OK;
        } catch (UnusableFilesException | IOException e) {
            return failed(e);
        }
    }

    private int failed(Exception reason) {
        err.println("nightjar store: " + reason.getMessage());
        return FAILED;
    }
}
