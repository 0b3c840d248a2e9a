/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Compares what an image and the log's end give with what the whole log gives. One thread, once. */
final class IndexComparison {

    /** A wrong image is wrong in many places; these are enough to see in which. */
    static final int MOST_DIFFERENCES = 10;

    private final OfflineIndex image;
    private final OfflineIndex log;
    private final List<String> differences = new ArrayList<>();
    private long entries;

    private IndexComparison(OfflineIndex image, OfflineIndex log) {
        this.image = image;
        this.log = log;
    }

    /**
     * What differs.
     *
     * @param entries of the log that were compared
     * @param differences the first ones, as sentences
     */
    record Outcome(long entries, List<String> differences) {}

    static Outcome compare(OfflineIndex image, OfflineIndex log) {
        IndexComparison comparison = new IndexComparison(image, log);
        comparison.keys();
        comparison.rows();
        return new Outcome(comparison.entries, List.copyOf(comparison.differences));
    }

    private void keys() {
        IndexCursor left = new IndexCursor(image.index());
        IndexCursor right = new IndexCursor(log.index());
        IndexCursor.Entry fromImage = left.next();
        IndexCursor.Entry fromLog = right.next();
        while ((fromImage != null || fromLog != null) && differences.size() < MOST_DIFFERENCES) {
            int order;
            if (fromImage == null) {
                order = 1;
            } else if (fromLog == null) {
                order = -1;
            } else {
                order = Arrays.compareUnsigned(fromImage.key(), fromLog.key());
            }
            if (order < 0 && fromImage != null) {
                differences.add("it has the key " + text(fromImage.key()) + ", which the log has not");
            } else if (order > 0 && fromLog != null) {
                differences.add("it does not have the key " + text(fromLog.key()) + ", which the log has");
            } else if (fromImage != null && fromLog != null && !fromImage.sameAs(fromLog)) {
                differences.add("it says other things of the key " + text(fromLog.key()) + " than the log: "
                        + text(fromImage) + " instead of " + text(fromLog));
            }
            if (order >= 0) {
                entries++;
                fromLog = right.next();
            }
            if (order <= 0) {
                fromImage = left.next();
            }
        }
        if (differences.isEmpty() && image.index().count() != log.index().count()) {
            differences.add("it counts " + image.index().count() + " keys, the log "
                    + log.index().count());
        }
    }

    private void rows() {
        List<Row> fromImage = allRows(image.rows());
        List<Row> fromLog = allRows(log.rows());
        if (fromImage.size() != fromLog.size()) {
            differences.add("it has " + fromImage.size() + " rows, the log " + fromLog.size());
            return;
        }
        for (int i = 0; i < fromLog.size() && differences.size() < MOST_DIFFERENCES; i++) {
            Row left = fromImage.get(i);
            Row right = fromLog.get(i);
            if (left.type() != right.type()
                    || !Arrays.equals(left.id(), right.id())
                    || !Arrays.equals(left.body(), right.body())) {
                differences.add("it has another row than the log at type " + right.type() + ", id " + text(right.id()));
            }
        }
    }

    private static List<Row> allRows(Rows rows) {
        List<Row> all = new ArrayList<>();
        var _ = rows.piece(new Rows.Cursor(0, new byte[0]), Integer.MAX_VALUE, all);
        return all;
    }

    private static String text(IndexCursor.Entry entry) {
        return "revision %d%s, version %s, created at %d, place %x, %d older"
                .formatted(
                        ChangeWord.revision(entry.word()),
                        ChangeWord.isTombstone(entry.word()) ? " (deleted)" : "",
                        Integer.toUnsignedString(entry.version()),
                        entry.createRevision(),
                        entry.place(),
                        entry.history().length / 2);
    }

    /** Printable bytes as they are, others in hexadecimal. */
    private static String text(byte[] bytes) {
        StringBuilder text = new StringBuilder("\"");
        for (char c : new String(bytes, StandardCharsets.ISO_8859_1).toCharArray()) {
            if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
                text.append(c);
            } else {
                text.append("\\x%02x".formatted((int) c));
            }
        }
        return text.append('"').toString();
    }
}
