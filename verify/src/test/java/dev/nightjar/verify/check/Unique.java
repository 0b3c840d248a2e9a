/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import com.google.protobuf.ByteString;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.verify.driver.WireText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** No event comes twice. Stateless. */
final class Unique implements WatchRule {
    private record Identity(long revision, ByteString key) {}

    @Override
    public List<String> violations(WatchLog log, History history) {
        List<String> violations = new ArrayList<>();
        Set<Identity> seen = new HashSet<>();
        for (Event event : log.events()) {
            if (!seen.add(
                    new Identity(event.getKv().getModRevision(), event.getKv().getKey()))) {
                violations.add("twice: " + WireText.of(event));
            }
        }
        return violations;
    }
}
