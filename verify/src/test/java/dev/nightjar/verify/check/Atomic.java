/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import java.util.ArrayList;
import java.util.List;

/** The events of one revision come in one response. Stateless. */
final class Atomic implements WatchRule {
    @Override
    public List<String> violations(WatchLog log, History history) {
        List<String> violations = new ArrayList<>();
        long last = 0;
        for (Delivery.Events batch : log.batches()) {
            if (batch.firstRevision() == last) {
                violations.add("revision " + last + " is spread over two responses");
            }
            last = batch.lastRevision();
        }
        return violations;
    }
}
