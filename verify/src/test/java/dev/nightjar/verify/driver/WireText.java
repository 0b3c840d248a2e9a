/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.api.mvccpb.KeyValue;
import java.util.ArrayList;
import java.util.List;

/**
 * Watch responses as short lines, so that a scenario reads as the text that it expects; stateless.
 *
 * <pre>
 * #0 @1 created                            watch id 0, header revision 1
 * #0 @2 PUT foo=bar c2 m2 v1               create revision, mod revision, version
 * #0 @3 DELETE foo m3 prev foo=bar c2 m2 v1
 * #-1 @3 created canceled "mvcc: watcher range is empty"
 * #0 @0 canceled compact 4
 * #-1 @9 progress
 * </pre>
 */
public final class WireText {
    private WireText() {}

    public static List<String> of(List<WatchResponse> responses) {
        return responses.stream().map(WireText::of).toList();
    }

    public static String of(WatchResponse response) {
        List<String> parts = new ArrayList<>();
        parts.add("#" + response.getWatchId());
        parts.add("@" + response.getHeader().getRevision());
        if (response.getCreated()) {
            parts.add("created");
        }
        if (response.getCanceled()) {
            parts.add("canceled");
        }
        if (response.getCompactRevision() != 0) {
            parts.add("compact " + response.getCompactRevision());
        }
        if (!response.getCancelReason().isEmpty()) {
            parts.add('"' + response.getCancelReason() + '"');
        }
        if (response.getFragment()) {
            parts.add("fragment");
        }
        if (response.getEventsCount() > 0) {
            parts.add(String.join("; ", events(response)));
        } else if (!response.getCreated() && !response.getCanceled()) {
            parts.add("progress");
        }
        return String.join(" ", parts);
    }

    /** The events of one response. */
    public static List<String> events(WatchResponse response) {
        return response.getEventsList().stream().map(WireText::of).toList();
    }

    /** The events of several responses, one after the other. */
    public static List<String> events(List<WatchResponse> responses) {
        return responses.stream().flatMap(response -> events(response).stream()).toList();
    }

    public static String of(Event event) {
        KeyValue kv = event.getKv();
        String what = switch (event.getType()) {
            case PUT -> "PUT " + of(kv);
            case DELETE -> "DELETE " + deleted(kv);
            case UNRECOGNIZED -> "UNRECOGNIZED " + of(kv);
        };
        return event.hasPrevKv() ? what + " prev " + of(event.getPrevKv()) : what;
    }

    /** A deletion carries a key and a revision; anything else shows, so that a test can see that it is wrong. */
    private static String deleted(KeyValue kv) {
        KeyValue expected = KeyValue.newBuilder()
                .setKey(kv.getKey())
                .setModRevision(kv.getModRevision())
                .build();
        return kv.equals(expected) ? text(kv.getKey()) + " m" + kv.getModRevision() : of(kv);
    }

    public static String of(KeyValue kv) {
        String lease = kv.getLease() == 0 ? "" : " lease " + kv.getLease();
        return "%s=%s c%d m%d v%d%s"
                .formatted(
                        text(kv.getKey()),
                        text(kv.getValue()),
                        kv.getCreateRevision(),
                        kv.getModRevision(),
                        kv.getVersion(),
                        lease);
    }

    /** Printable bytes as they are, others as {@code \xHH}; long values by their length. */
    public static String text(ByteString bytes) {
        if (bytes.size() > 200) {
            return "<" + bytes.size() + " bytes>";
        }
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            if (b >= ' ' && b < 127 && b != '\\') {
                text.append((char) b);
            } else {
                text.append("\\x%02x".formatted(b));
            }
        }
        return text.toString();
    }
}
