/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import dev.nightjar.verify.driver.WireText;
import java.util.List;

/** Only keys and types that were asked for. Stateless. */
final class Filtered implements WatchRule {
    @Override
    public List<String> violations(WatchLog log, History history) {
        return log.events().stream()
                .filter(log.interest().negate())
                .map(event -> "not asked for: " + WireText.of(event))
                .toList();
    }
}
