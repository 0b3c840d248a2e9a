/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.consensus.LogObserver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What tests of the log share. */
final class Logs {
    /** Small segments: a handful of groups fills one. */
    static final int SEGMENT_BYTES = 4096;

    private Logs() {}

    static LogOptions options() {
        return new LogOptions(SEGMENT_BYTES, true, System::nanoTime, LogObserver.NONE, Runnable::run);
    }

    static SegmentedLog open(LogFiles files) throws IOException {
        return SegmentedLog.open(files, options(), entry -> {});
    }

    static LogRecord entry(long index, long term, String payload) {
        return new LogRecord(index, term, LogRecord.COMMAND, ByteBuffer.wrap(payload.getBytes(StandardCharsets.UTF_8)));
    }

    /** A group of entries whose payload tells index and term. */
    static List<LogRecord> group(long first, int count, long term) {
        List<LogRecord> group = new ArrayList<>();
        for (long index = first; index < first + count; index++) {
            group.add(entry(index, term, payload(index, term)));
        }
        return group;
    }

    static String payload(long index, long term) {
        return ("entry " + index + " of term " + term + " ").repeat(1 + (int) (index % 4));
    }

    static String text(LogRecord entry) {
        return StandardCharsets.UTF_8.decode(entry.payload().duplicate()).toString();
    }

    /** Checks that the log holds exactly the entries {@code first} to {@code last} as {@link #group} makes them. */
    static void assertHolds(SegmentedLog log, long first, long last) throws IOException {
        assertThat(log.firstIndex()).isEqualTo(first);
        assertThat(log.lastIndex()).isEqualTo(last);
        for (long index = first; index <= last; index++) {
            LogRecord entry = log.read(index);
            assertThat(entry).isNotNull();
            if (entry != null) {
                assertThat(entry.index()).isEqualTo(index);
                assertThat(text(entry)).isEqualTo(payload(index, entry.term()));
            }
        }
        assertThat(log.read(last + 1)).isNull();
    }

    /** The newest segment's file. */
    static String lastSegment(HostileFiles files) {
        return files.list().stream()
                .filter(SegmentHeader::isSegmentName)
                .max(String::compareTo)
                .orElseThrow();
    }
}
