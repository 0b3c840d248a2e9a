/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.verify.driver.WireText;
import java.util.List;

/** A watch with a start revision begins exactly there: its first event is the first one that fits at or after it. Stateless. */
final class Resumable implements WatchRule {
    @Override
    public List<String> violations(WatchLog log, History history) {
        List<Event> events = log.events();
        if (log.request().getStartRevision() <= 0 || events.isEmpty()) {
            return List.of();
        }
        List<Event> owed = history.between(log.request().getStartRevision(), history.revision(), log.interest());
        Event first = events.getFirst();
        if (owed.isEmpty()
                || owed.getFirst().getKv().getModRevision() != first.getKv().getModRevision()) {
            return List.of("begins with " + WireText.of(first) + ", not with "
                    + (owed.isEmpty() ? "nothing" : WireText.of(owed.getFirst())));
        }
        return List.of();
    }
}
