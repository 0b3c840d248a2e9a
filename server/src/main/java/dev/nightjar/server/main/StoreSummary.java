/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.main;

import dev.nightjar.consensus.ConsensusEngine;
import dev.nightjar.core.mvcc.StoreFigures;
import dev.nightjar.server.node.StoppedMember;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code nightjar store stat}: figures with their names. An immutable value. */
final class StoreSummary {

    /** What JSON and text say where there is nothing to tell. */
    private static final String NONE_IN_JSON = "null";

    private static final String NONE_IN_TEXT = "-";

    private final List<Line> lines;

    /** One figure. */
    private record Line(String label, String name, String json, String text) {}

    private StoreSummary(List<Line> lines) {
        this.lines = List.copyOf(lines);
    }

    static StoreSummary of(StoppedMember member, StoreFigures figures) throws IOException {
        List<Line> lines = new ArrayList<>();
        boolean hasImage = figures.imageRevision() >= 0;
        boolean isCompacted = figures.last().compactedRevision() >= 0;
        add(lines, "keys", "keys", figures.keys(), true);
        add(lines, "revision", "revision", figures.last().revision(), true);
        add(lines, "compacted revision", "compactedRevision", figures.last().compactedRevision(), isCompacted);
        add(lines, "applied index", "appliedIndex", figures.last().appliedIndex(), true);
        add(lines, "applied term", "appliedTerm", figures.last().appliedTerm(), true);
        add(lines, "segments", "segments", figures.segments(), true);
        add(lines, "bytes", "bytes", figures.bytes(), true);
        add(lines, "bytes in use", "bytesInUse", figures.bytesInUse(), true);
        lines.add(share(figures));
        add(lines, "rows", "rows", figures.rows(), true);
        add(lines, "image revision", "imageRevision", figures.imageRevision(), hasImage);
        add(lines, "image age", "imageAge", figures.last().revision() - figures.imageRevision(), hasImage);
        add(lines, "image bytes", "imageBytes", figures.imageBytes(), hasImage);
        add(lines, "log bytes", "logBytes", member.walBytes(), true);
        add(
                lines,
                "snapshots",
                "snapshots",
                ConsensusEngine.snapshots(member.snapshots()).size(),
                true);
        return new StoreSummary(lines);
    }

    private static void add(List<Line> lines, String label, String name, long value, boolean known) {
        String text = Long.toString(value);
        lines.add(new Line(label, name, known ? text : NONE_IN_JSON, known ? text : NONE_IN_TEXT));
    }

    private static Line share(StoreFigures figures) {
        if (figures.bytes() == 0) {
            return new Line("live share", "liveShare", NONE_IN_JSON, NONE_IN_TEXT);
        }
        double share = (double) figures.bytesInUse() / figures.bytes();
        return new Line(
                "live share",
                "liveShare",
                String.format(Locale.ROOT, "%.4f", share),
                String.format(Locale.ROOT, "%.0f%%", 100 * share));
    }

    /** One figure a line, the values in a column. */
    String text() {
        int width = lines.stream().mapToInt(line -> line.label.length()).max().orElse(0);
        StringBuilder text = new StringBuilder();
        for (Line line : lines) {
            text.append(line.label).repeat(' ', width + 2 - line.label.length());
            text.append(line.text).append('\n');
        }
        return text.toString();
    }

    /** One object in one line. */
    String json() {
        StringBuilder text = new StringBuilder("{");
        for (Line line : lines) {
            text.append(text.length() == 1 ? "" : ",");
            text.append('"').append(line.name).append("\":").append(line.json);
        }
        return text.append("}\n").toString();
    }
}
