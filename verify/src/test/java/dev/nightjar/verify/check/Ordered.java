/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import dev.nightjar.api.mvccpb.Event;
import java.util.ArrayList;
import java.util.List;

/** Revisions never go down. Stateless. */
final class Ordered implements WatchRule {
    @Override
    public List<String> violations(WatchLog log, History history) {
        List<String> violations = new ArrayList<>();
        long last = 0;
        for (Event event : log.events()) {
            long revision = event.getKv().getModRevision();
            if (revision < last) {
                violations.add("revision " + revision + " after " + last);
            }
            last = revision;
        }
        return violations;
    }
}
