/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Figures that Linux gives in files under {@code /proc/self}; zero where there are no such files. Stateless. */
final class ProcFiles {
    private static final Path SELF = Path.of("/proc/self");
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    /** What a Go program shows where no limit is set: the largest unsigned 64-bit number. */
    private static final double UNLIMITED = 0x1p64;

    private ProcFiles() {}

    static double residentBytes() {
        return kibibytes("VmRSS:");
    }

    static double virtualBytes() {
        return kibibytes("VmSize:");
    }

    static double mostVirtualBytes() {
        for (String line : lines("limits")) {
            if (line.startsWith("Max address space")) {
                String soft = BLANKS.split(line, -1)[3];
                return soft.equals("unlimited") ? UNLIMITED : Double.parseDouble(soft);
            }
        }
        return 0;
    }

    static double receivedBytes() {
        return column("InOctets");
    }

    static double transmittedBytes() {
        return column("OutOctets");
    }

    private static double kibibytes(String key) {
        for (String line : lines("status")) {
            if (line.startsWith(key)) {
                return Double.parseDouble(BLANKS.split(line, -1)[1]) * 1024;
            }
        }
        return 0;
    }

    /** The file has pairs of lines: names of columns, then their figures. */
    private static double column(String name) {
        List<String> lines = lines("net/netstat");
        for (int i = 0; i + 1 < lines.size(); i += 2) {
            if (lines.get(i).startsWith("IpExt:")) {
                int column = List.of(BLANKS.split(lines.get(i), -1)).indexOf(name);
                return column < 0 ? 0 : Double.parseDouble(BLANKS.split(lines.get(i + 1), -1)[column]);
            }
        }
        return 0;
    }

    private static List<String> lines(String file) {
        try {
            return Files.readAllLines(SELF.resolve(file));
        } catch (IOException e) {
            return List.of(); // not Linux, or not for us to read
        }
    }
}
