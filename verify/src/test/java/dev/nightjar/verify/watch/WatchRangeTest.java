/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
import dev.nightjar.verify.driver.WireText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which keys a watch is about, for every form of key and range end; the same live and from history. */
@OnEveryServer
class WatchRangeTest {
    private static final List<ByteString> KEYS = List.of(
            bytes(0),
            bytes('a'),
            bytes('a', 0xff),
            bytes('b'),
            bytes('f', 'o'),
            bytes('f', 'o', 'o'),
            bytes('f', 'o', 'p'),
            bytes(0xff),
            bytes(0xff, 0xff));

    /** Which of the keys each form selects, as their positions in the list. */
    private static final Map<WatchCreateRequest.Builder, List<Integer>> FORMS = forms();

    @RegisterExtension
    final FreshServer fresh;

    WatchRangeTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    private static Map<WatchCreateRequest.Builder, List<Integer>> forms() {
        Map<WatchCreateRequest.Builder, List<Integer>> forms = new LinkedHashMap<>();
        forms.put(range(bytes('f', 'o'), bytes()), List.of(4));
        forms.put(range(bytes('n', 'o'), bytes()), List.of());
        forms.put(range(bytes('f', 'o'), bytes('f', 'p')), List.of(4, 5, 6));
        forms.put(range(bytes('a'), bytes('b')), List.of(1, 2));
        forms.put(range(bytes('a', 0), bytes('b', 0)), List.of(2, 3));
        forms.put(range(bytes('f', 'o'), bytes(0)), List.of(4, 5, 6, 7, 8));
        forms.put(range(bytes(0xff), bytes(0)), List.of(7, 8));
        forms.put(range(bytes(0), bytes(0)), List.of(0, 1, 2, 3, 4, 5, 6, 7, 8));
        forms.put(range(bytes(), bytes()), List.of(0));
        forms.put(range(bytes(), bytes(0)), List.of(0, 1, 2, 3, 4, 5, 6, 7, 8));
        forms.put(range(bytes(), bytes('b')), List.of(0, 1, 2));
        return forms;
    }

    private static WatchCreateRequest.Builder range(ByteString key, ByteString end) {
        return WatchCreateRequest.newBuilder().setKey(key).setRangeEnd(end);
    }

    private static ByteString bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return ByteString.copyFrom(bytes);
    }

    @Test
    void live_events_follow_the_range() {
        try (WatchCall call = WatchCall.open(fresh.api())) {
            FORMS.keySet().forEach(call::created);
            putAll();
            assertEventsByForm(call);
        }
    }

    @Test
    void replayed_events_follow_the_range() {
        putAll();
        try (WatchCall call = WatchCall.open(fresh.api())) {
            FORMS.keySet().forEach(form -> call.create(form.clone().setStartRevision(1)));
            assertEventsByForm(call);
        }
    }

    private void putAll() {
        for (ByteString key : KEYS) {
            fresh.api().put(key, ByteString.EMPTY);
        }
    }

    /** A last watch, on a key of its own, is waited for: what has not come by then is not on its way. */
    private void assertEventsByForm(WatchCall call) {
        int expected = FORMS.values().stream().mapToInt(List::size).sum();
        List<WatchResponse> responses = call.events(expected);
        call.create(WatchCall.key("fence"));
        long fence = fresh.api().put("fence", "");
        responses.addAll(call.until(response ->
                response.getEventsCount() > 0 && response.getEvents(0).getKv().getModRevision() == fence));
        long id = 0;
        for (var form : FORMS.entrySet()) {
            long watchId = id++;
            List<String> got = responses.stream()
                    .filter(response -> response.getWatchId() == watchId)
                    .flatMap(response -> response.getEventsList().stream())
                    .filter(event -> event.getKv().getModRevision() != fence)
                    .map(event -> WireText.text(event.getKv().getKey()))
                    .toList();
            List<String> wanted =
                    form.getValue().stream().map(KEYS::get).map(WireText::text).toList();
            assertThat(got).as("watch %d: %s", watchId, form.getKey()).isEqualTo(wanted);
        }
    }
}
