/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.verify.driver.WireText;
import java.util.List;

/** Between the first owed and the last known revision nothing is missing and nothing is added. Stateless. */
final class Reliable implements WatchRule {
    @Override
    public List<String> violations(WatchLog log, History history) {
        List<Event> owed = history.between(log.firstOwedRevision(), log.lastKnownRevision(), log.interest());
        List<Event> got = log.events();
        for (int i = 0; i < Math.max(owed.size(), got.size()); i++) {
            if (i >= got.size()) {
                return List.of("missing at the end: " + WireText.of(owed.get(i)));
            }
            if (i >= owed.size()) {
                return List.of("never happened, or was not owed: " + WireText.of(got.get(i)));
            }
            if (!same(owed.get(i), got.get(i))) {
                return List.of(
                        "event %d is %s, owed was %s".formatted(i, WireText.of(got.get(i)), WireText.of(owed.get(i))));
            }
        }
        return List.of();
    }

    private static boolean same(Event a, Event b) {
        return a.getType() == b.getType()
                && a.getKv().getModRevision() == b.getKv().getModRevision()
                && a.getKv().getKey().equals(b.getKv().getKey());
    }
}
