/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import dev.nightjar.api.mvccpb.Event;
import java.util.ArrayList;
import java.util.List;

/**
 * Progress at revision P: everything that fits up to P has been delivered, all that follows is above P, and P never goes
 * down. A watch that is to begin in the future gets no progress below its start. Stateless.
 */
final class Bookmarkable implements WatchRule {
    @Override
    public List<String> violations(WatchLog log, History history) {
        List<String> violations = new ArrayList<>();
        long mark = 0;
        long delivered = 0;
        for (Delivery delivery : log.deliveries()) {
            switch (delivery) {
                case Delivery.Events batch -> {
                    delivered += batch.events().size();
                    if (batch.firstRevision() <= mark) {
                        violations.add("revision " + batch.firstRevision() + " after progress " + mark);
                    }
                }
                case Delivery.Progress(long revision) -> {
                    if (revision < mark) {
                        violations.add("progress " + revision + " after progress " + mark);
                    }
                    violations.addAll(markViolations(log, history, revision, delivered));
                    mark = revision;
                }
                case Delivery.Created _, Delivery.Canceled _ -> {}
            }
        }
        return violations;
    }

    private static List<String> markViolations(WatchLog log, History history, long mark, long delivered) {
        if (mark < log.request().getStartRevision()) {
            return List.of("progress %d before the start %d"
                    .formatted(mark, log.request().getStartRevision()));
        }
        List<Event> owed = history.between(log.firstOwedRevision(), mark, log.interest());
        return owed.size() == delivered
                ? List.of()
                : List.of("progress %d promises %d events, %d had come".formatted(mark, owed.size(), delivered));
    }
}
