/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import java.util.ArrayList;
import java.util.List;

/** The texts about the command line: short usage, list of flags, reference page. All follow from the table. Stateless. */
public final class Usage {
    private static final int HELP_COLUMNS = 100;

    private Usage() {}

    /** How to start the program, in a few lines. */
    public static String summary() {
        return """
                Usage:

                  nightjar [flags]
                    Start a server.

                  nightjar --version
                    Show the version.

                  nightjar -h | --help
                    Show the flags.

                  nightjar ctl [command]
                    Talk to a running server.

                  nightjar store [command]
                    Look at the files of a server that does not run.
                """;
    }

    /** All flags with their defaults and what they do. */
    public static String flags() {
        StringBuilder out = new StringBuilder();
        for (Flag.Section section : Flag.Section.values()) {
            out.append(section.title()).append(":\n\n");
            for (Flag<?> flag : in(section)) {
                out.append("  --").append(flag.name());
                if (!flag.defaultText().isEmpty()) {
                    out.append(" '").append(flag.defaultText()).append('\'');
                }
                out.append('\n');
                wrap(flag.help())
                        .forEach(line -> out.append("    ").append(line).append('\n'));
            }
            out.append('\n');
        }
        return out.toString();
    }

    /** The reference page, {@code docs/reference/flags.md}. */
    static String page() {
        StringBuilder out = new StringBuilder("""
                # Flags

                <!-- Made from server/config/FlagTable by FlagsPageTest; change it there. -->

                A flag is written `--flag=value` or `--flag value`, with one dash or two; a flag of type bool stands alone
                (`--flag`) or has its value after `=`. The last of several equal flags wins. A flag that is not given is
                taken from the environment: `NIGHTJAR_` or `ETCD_` and its name in capitals with underscores. To give a
                flag and its variable both is an error; an unknown flag ends the program with code 2, a value that makes no
                sense together with others with code 1.

                Types: a *duration* is written as in `300ms`, `1.5h` or `2h45m`; a *URL list* is comma separated, each
                `http://host:port` or `https://host:port`.
                """);
        for (Flag.Section section : Flag.Section.values()) {
            out.append("\n## ").append(section.title()).append("\n\n");
            out.append("| Flag | Type | Default | Environment | What it does |\n|---|---|---|---|---|\n");
            for (Flag<?> flag : in(section)) {
                String value = flag.defaultText().isEmpty() ? "empty" : "`" + flag.defaultText() + "`";
                out.append("| `--%s` | %s | %s | `%s` | %s |\n"
                        .formatted(
                                flag.name(),
                                flag.type().label().replace("|", " or "),
                                value,
                                Environment.settable(flag) ? flag.variable("ETCD_") : "–",
                                flag.help()));
            }
        }
        return out.toString();
    }

    private static List<Flag<?>> in(Flag.Section section) {
        return FlagTable.ALL.stream().filter(flag -> flag.section() == section).toList();
    }

    private static List<String> wrap(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > HELP_COLUMNS) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
