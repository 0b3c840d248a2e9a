/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.verify.driver.WireText;
import java.util.ArrayList;
import java.util.List;

/**
 * The previous key-value comes when it was asked for and only then, and is the state right before the event. It may be
 * missing only where a compaction has passed. Stateless.
 */
final class PreviousValue implements WatchRule {
    @Override
    public List<String> violations(WatchLog log, History history) {
        List<String> violations = new ArrayList<>();
        for (Event event : log.events()) {
            if (!event.hasPrevKv()) {
                if (log.request().getPrevKv() && owes(event, history)) {
                    violations.add("no previous value: " + WireText.of(event));
                }
            } else if (!log.request().getPrevKv()) {
                violations.add("a previous value that was not asked for: " + WireText.of(event));
            } else if (history.at(event.getKv().getModRevision()).stream()
                    .noneMatch(
                            truth -> truth.getKv().getKey().equals(event.getKv().getKey())
                                    && truth.hasPrevKv()
                                    && truth.getPrevKv().equals(event.getPrevKv()))) {
                violations.add("a wrong previous value: " + WireText.of(event));
            }
        }
        return violations;
    }

    private static boolean owes(Event event, History history) {
        long revision = event.getKv().getModRevision();
        return revision > history.compactedRevision()
                && history.at(revision).stream()
                        .anyMatch(truth ->
                                truth.getKv().getKey().equals(event.getKv().getKey()) && truth.hasPrevKv());
    }
}
