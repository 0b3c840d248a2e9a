/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import java.util.ArrayList;
import java.util.List;

/**
 * A watch is created once, before anything else; it is cancelled at most once, and nothing follows. A compaction may end it
 * only if it really took away what the watch still owed. Stateless.
 */
final class Lifecycle implements WatchRule {
    @Override
    public List<String> violations(WatchLog log, History history) {
        List<String> violations = new ArrayList<>();
        List<Delivery> deliveries = log.deliveries();
        boolean over = false;
        for (int i = 0; i < deliveries.size(); i++) {
            Delivery delivery = deliveries.get(i);
            if ((i == 0) != (delivery instanceof Delivery.Created)) {
                violations.add("created must come first and once, but delivery " + i + " is " + delivery);
            }
            if (over) {
                violations.add("after the end: " + delivery);
            }
            if (delivery instanceof Delivery.Canceled(long compactRevision)) {
                over = true;
                if (compactRevision != 0) {
                    violations.addAll(endViolations(log, history, compactRevision));
                }
            }
        }
        return violations;
    }

    private static List<String> endViolations(WatchLog log, History history, long compactRevision) {
        List<String> violations = new ArrayList<>();
        if (compactRevision > history.compactedRevision()) {
            violations.add("cancelled by a compaction at " + compactRevision + " that never was");
        }
        if (log.lastKnownRevision() + 1 >= compactRevision) {
            violations.add("cancelled by the compaction at %d, though it knew all up to %d"
                    .formatted(compactRevision, log.lastKnownRevision()));
        }
        return violations;
    }
}
