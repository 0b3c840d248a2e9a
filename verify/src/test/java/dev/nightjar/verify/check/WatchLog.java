/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.mvccpb.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What one watch asked for and everything it was told, in order. Written by the thread that reads the stream. */
public final class WatchLog {
    private final WatchCreateRequest request;
    private final List<Delivery> deliveries = new ArrayList<>();
    private long lastTold;
    private boolean canceled;

    public WatchLog(WatchCreateRequest request) {
        this.request = request;
    }

    public void add(Delivery delivery) {
        deliveries.add(delivery);
        switch (delivery) {
            case Delivery.Events events -> lastTold = Math.max(lastTold, events.lastRevision());
            case Delivery.Progress(long revision) -> lastTold = Math.max(lastTold, revision);
            case Delivery.Canceled _ -> canceled = true;
            case Delivery.Created _ -> {}
        }
    }

    public WatchCreateRequest request() {
        return request;
    }

    public List<Delivery> deliveries() {
        return List.copyOf(deliveries);
    }

    /** Responses with events, in order. */
    List<Delivery.Events> batches() {
        return deliveries.stream()
                .filter(Delivery.Events.class::isInstance)
                .map(Delivery.Events.class::cast)
                .toList();
    }

    /** All events, in order. */
    public List<Event> events() {
        return batches().stream().flatMap(batch -> batch.events().stream()).toList();
    }

    /** All events of some watches by the revision that they tell of, each as often as it was told. */
    public static Map<Long, List<Event>> eventsByRevision(Stream<WatchLog> watches) {
        return watches.flatMap(watch -> watch.events().stream())
                .collect(Collectors.groupingBy(event -> event.getKv().getModRevision()));
    }

    /** The smallest revision that the watch owes to its client. */
    public long firstOwedRevision() {
        if (request.getStartRevision() > 0) {
            return request.getStartRevision();
        }
        return deliveries.stream()
                .filter(Delivery.Created.class::isInstance)
                .mapToLong(delivery -> ((Delivery.Created) delivery).revision() + 1)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    /** The highest revision that was delivered or announced; before the first one, what the watch skips. */
    public long lastKnownRevision() {
        return Math.max(lastTold, firstOwedRevision() - 1);
    }

    /** Whether the watch's client was told that it is over. */
    public boolean isCanceled() {
        return canceled;
    }

    /** The events that the watch is about. */
    Predicate<Event> interest() {
        KeyRange range = KeyRange.of(request);
        boolean puts = !request.getFiltersList().contains(WatchCreateRequest.FilterType.NOPUT);
        boolean deletes = !request.getFiltersList().contains(WatchCreateRequest.FilterType.NODELETE);
        return event ->
                range.contains(event.getKv().getKey()) && (event.getType() == Event.EventType.PUT ? puts : deletes);
    }
}
