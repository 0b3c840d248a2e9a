/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.verify.driver.WireText;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sorts the responses of one watch stream into the logs of its watches, as a client library would: create answers belong to
 * create requests in order, parts of a response are joined, watch id -1 speaks for every watch. What fits no watch or breaks
 * into a run of parts is noted as a violation. Not thread safe.
 */
public final class StreamLog {
    private final Queue<WatchCreateRequest> asked = new ArrayDeque<>();
    private final Map<Long, WatchLog> open = new HashMap<>();
    private final List<WatchLog> all = new ArrayList<>();
    private final Set<Long> cancelAsked = new HashSet<>();
    private final List<String> violations = new ArrayList<>();
    private @Nullable WatchResponse parts;

    /** Notes that a create request is being sent. */
    public void asked(WatchCreateRequest request) {
        asked.add(request);
    }

    /** Notes that a cancel request for a watch is being sent; it may cross an end that comes from the server. */
    public void cancelAsked(long id) {
        cancelAsked.add(id);
    }

    /** Takes the next response of the stream. */
    public void accept(WatchResponse response) {
        WatchResponse whole = joined(response);
        if (whole == null) {
            return;
        }
        if (whole.getCreated()) {
            created(whole);
        } else if (whole.getEventsCount() == 0 && !whole.getCanceled() && whole.getWatchId() == -1) {
            open.values().stream().filter(log -> !log.isCanceled()).forEach(log -> log.add(progress(whole)));
        } else {
            WatchLog log = open.get(whole.getWatchId());
            if (log == null) {
                violations.add("a response for a watch that does not exist: " + text(whole));
            } else {
                deliver(log, whole);
            }
        }
    }

    private void created(WatchResponse response) {
        WatchCreateRequest request = asked.poll();
        if (request == null) {
            violations.add("an answer to no create request: " + text(response));
        } else if (!response.getCanceled()) {
            WatchLog log = new WatchLog(request);
            log.add(new Delivery.Created(response.getHeader().getRevision()));
            all.add(log);
            open.put(response.getWatchId(), log);
        }
    }

    private void deliver(WatchLog log, WatchResponse response) {
        if (response.getCanceled()) {
            if (log.isCanceled() && response.getCompactRevision() == 0 && cancelAsked.remove(response.getWatchId())) {
                return;
            }
            if (response.getEventsCount() > 0) {
                violations.add("events in a canceled response: " + text(response));
            }
            log.add(new Delivery.Canceled(response.getCompactRevision()));
        } else if (response.getEventsCount() > 0) {
            log.add(new Delivery.Events(response.getEventsList()));
        } else {
            log.add(progress(response));
        }
    }

    private static Delivery progress(WatchResponse response) {
        return new Delivery.Progress(response.getHeader().getRevision());
    }

    /** Returns a whole response, or null while parts of it are still to come. */
    private @Nullable WatchResponse joined(WatchResponse response) {
        WatchResponse before = parts;
        if (before == null) {
            parts = response.getFragment() ? response : null;
            return response.getFragment() ? null : response;
        }
        if (response.getWatchId() != before.getWatchId() || response.getEventsCount() == 0) {
            violations.add("another response between the parts of one: " + text(response));
            return response;
        }
        List<Event> rest = response.getEventsList();
        WatchResponse sum = before.toBuilder()
                .addAllEvents(rest)
                .setFragment(response.getFragment())
                .build();
        parts = response.getFragment() ? sum : null;
        return response.getFragment() ? null : sum;
    }

    private static String text(WatchResponse response) {
        return WireText.of(response);
    }

    /** The watch that has {@code id} now, or had it last. */
    public Optional<WatchLog> watch(long id) {
        return Optional.ofNullable(open.get(id));
    }

    /** The logs of all watches that were ever accepted, in order of creation. */
    public List<WatchLog> watches() {
        return List.copyOf(all);
    }

    /** What was wrong with the stream as a whole. */
    public List<String> violations() {
        return List.copyOf(violations);
    }
}
