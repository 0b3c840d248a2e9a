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
 * An event carries what was written at its revision: value, create revision (its own revision exactly when the key is new),
 * version, lease; a deletion carries key and revision and nothing else. Stateless.
 */
final class Content implements WatchRule {
    @Override
    public List<String> violations(WatchLog log, History history) {
        List<String> violations = new ArrayList<>();
        for (Event event : log.events()) {
            for (Event truth : history.at(event.getKv().getModRevision())) {
                if (truth.getKv().getKey().equals(event.getKv().getKey())
                        && truth.getType() == event.getType()
                        && !truth.getKv().equals(event.getKv())) {
                    violations.add("says " + WireText.of(event) + ", written was " + WireText.of(truth));
                }
            }
        }
        return violations;
    }
}
