/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Short words for what tests do with a log: keys and values as text, each put its own frame. */
final class LogSteps {

    private LogSteps() {}

    static FrameInfo info(long applied, long revision) {
        return new FrameInfo(applied, 1, revision, -1);
    }

    static long put(Frame frame, long revision, String key, String value) {
        long place = frame.nextPlace();
        RecordFields fields = new RecordFields();
        fields.revision = revision;
        fields.createRevision = revision;
        fields.version = 1;
        frame.put(fields, key.getBytes(UTF_8), ByteBuffer.wrap(value.getBytes(UTF_8)));
        return place;
    }

    /** Appends a frame of one put; the applied index is the revision. */
    static void append(RecordStore log, long revision, String key, String value) {
        Frame frame = log.begin();
        put(frame, revision, key, value);
        log.append(frame, info(revision, revision));
    }

    static List<String> all(RecordStore log) {
        List<String> found = new ArrayList<>();
        log.snapshot().scan(0, Long.MAX_VALUE - 1, record -> found.add(text(record)));
        return found;
    }

    static String text(RecordStore log, long place) {
        StoredRecord record = log.snapshot().read(place);
        return record == null ? "gone" : text(record);
    }

    static String text(StoredRecord record) {
        int prefix = record.prefixLength();
        byte[] body = record.body();
        int skip = prefix == body.length
                ? 0
                : 1 + Varint.size(Varint.read(record.memory(), record.bodyOffset() + prefix + 1));
        return record.revision() + " " + new String(record.key(), UTF_8) + " "
                + new String(body, prefix + skip, body.length - prefix - skip, UTF_8);
    }
}
