/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Holds logs of watches against history; stateless. */
public final class WatchChecks {
    /** Violations told in full; a broken watch tends to break again at each event. */
    private static final int TOLD = 20;

    private WatchChecks() {}

    /** All broken promises of one watch. */
    public static List<String> violations(WatchLog log, History history) {
        List<String> all = new ArrayList<>();
        for (WatchRule rule : WatchRule.ALL) {
            for (String violation : rule.violations(log, history)) {
                all.add(rule.getClass().getSimpleName() + ": " + violation);
            }
        }
        return all;
    }

    /** Fails if a stream or one of its watches broke a promise. */
    public static void assertKept(Collection<StreamLog> streams, History history) {
        List<String> all = new ArrayList<>();
        for (StreamLog stream : streams) {
            all.addAll(stream.violations());
            for (WatchLog log : stream.watches()) {
                for (String violation : violations(log, history)) {
                    all.add(violation + " -- watch of " + describe(log));
                }
            }
        }
        if (!all.isEmpty()) {
            throw new AssertionError(all.size() + " violations:\n"
                    + String.join("\n", all.subList(0, Math.min(TOLD, all.size()))));
        }
    }

    private static String describe(WatchLog log) {
        return log.request().toString().strip().replaceAll("\\s+", " ");
    }
}
