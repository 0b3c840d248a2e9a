/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Makes requests of a script at random, on few keys and revisions, so that they meet each other's effects. Not thread safe.
 *
 * <p>Left out is what Nightjar means to answer otherwise than etcd: a sort target without an order but with a limit; in one
 * transaction, a deletion without an end or in a nested transaction together with a put of its keys. For that, transactions
 * put keys of the lower half and delete keys of the upper half; other requests do both everywhere.
 */
final class RandomRequests {
    /** No more, since equal keys are in the order of etcd's sort, which is stable only for twelve. */
    private static final List<String> LOW = List.of("a", "a\\000", "b", "b\\377", "c", "d");

    private static final List<String> HIGH = List.of("m", "n", "n\\000", "p", "q", "q\\377");
    private static final List<String> ORDERS = List.of("NONE", "ASCEND", "DESCEND");
    private static final List<String> TARGETS = List.of("KEY", "VERSION", "CREATE", "MOD", "VALUE");
    private static final List<String> RESULTS = List.of("EQUAL", "GREATER", "LESS", "NOT_EQUAL");
    private static final int MOST_DEPTH = 3;

    private final RandomGenerator random;
    private long revision = 1;

    RandomRequests(RandomGenerator random) {
        this.random = random;
    }

    /** The store's revision is known to be this. */
    void at(long newRevision) {
        revision = newRevision;
    }

    String next() {
        int kind = random.nextInt(100);
        if (kind < 25) {
            return "put " + put(anyKey());
        }
        if (kind < 50) {
            return "range " + range();
        }
        if (kind < 58) {
            return "rangestream " + streamed();
        }
        if (kind < 68) {
            return "delete " + keys(anyKey(), true) + flag("prev_kv", 2);
        }
        return kind < 98 ? "txn " + txn(0) : "compact revision: " + (revision - random.nextInt(12) + 1);
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    private String flag(String name, int oneIn) {
        return oneIn(oneIn) ? " " + name + ": true" : "";
    }

    private <T> T pick(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private String anyKey() {
        return random.nextBoolean() ? pick(LOW) : pick(HIGH);
    }

    private static String quoted(String name, String bytes) {
        return name + ": \"" + bytes + "\"";
    }

    /** A key, or a range of any form from it on. */
    private String keys(String key, boolean mayBeOpen) {
        String from = quoted("key", oneIn(40) ? "" : key);
        return switch (random.nextInt(6)) {
            case 0, 1 -> from;
            case 2 -> mayBeOpen ? from + " " + quoted("range_end", "\\000") : from;
            case 3 -> from + " " + quoted("range_end", key + "\\377\\377");
            default -> from + " " + quoted("range_end", mayBeOpen ? anyKey() : pick(HIGH));
        };
    }

    private String put(String key) {
        return quoted("key", oneIn(40) ? "" : key)
                + (oneIn(5) ? "" : " " + quoted("value", Integer.toString(random.nextInt(12))))
                + flag("ignore_value", 8)
                + flag("ignore_lease", 12)
                + flag("prev_kv", 2)
                + (oneIn(40) ? " lease: 5" : "");
    }

    private String range() {
        boolean filtered = oneIn(4);
        String order = pick(ORDERS);
        String target = pick(TARGETS);
        boolean limited = !order.equals("NONE") || target.equals("KEY");
        return keys(anyKey(), true)
                + " sort_order: " + order + " sort_target: " + target
                + (limited && oneIn(2) ? " limit: " + random.nextInt(-1, 5) : "")
                + revision()
                + (filtered && oneIn(2) ? " min_mod_revision: " + near() : "")
                + (filtered && oneIn(2) ? " max_mod_revision: " + near() : "")
                + (filtered && oneIn(2) ? " min_create_revision: " + near() : "")
                + (filtered && oneIn(2) ? " max_create_revision: " + near() : "")
                + flag("keys_only", 4)
                + flag("count_only", 6)
                + flag("serializable", 4);
    }

    private String streamed() {
        return keys(anyKey(), true)
                + (oneIn(2) ? " limit: " + random.nextInt(-1, 5) : "")
                + (oneIn(10) ? " sort_order: " + pick(ORDERS) : "")
                + (oneIn(10) ? " min_mod_revision: " + near() : "")
                + revision()
                + flag("keys_only", 4)
                + flag("count_only", 6);
    }

    private String revision() {
        return oneIn(3) ? " revision: " + near() : "";
    }

    /** A revision that mostly is there, but may be compacted, negative or in the future. */
    private long near() {
        return oneIn(12) ? -random.nextInt(3) : revision + 2 - random.nextInt(15);
    }

    private String txn(int depth) {
        List<String> parts = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            parts.add("compare { " + compare() + " }");
        }
        for (int i = random.nextInt(5); i > 0; i--) {
            parts.add((oneIn(3) ? "failure" : "success") + " { " + op(depth) + " }");
        }
        return String.join(" ", parts);
    }

    private String compare() {
        String target = pick(TARGETS.subList(1, TARGETS.size()));
        String operand = switch (target) {
            case "VERSION" -> "version: " + random.nextInt(4);
            case "CREATE" -> "create_revision: " + (oneIn(3) ? 0 : near());
            case "MOD" -> "mod_revision: " + (oneIn(3) ? 0 : near());
            default -> quoted("value", Integer.toString(random.nextInt(12)));
        };
        return keys(anyKey(), true) + " target: " + target + " result: " + pick(RESULTS) + " " + operand;
    }

    private String op(int depth) {
        int kind = random.nextInt(12);
        if (kind < 4) {
            return "request_put { " + put(pick(LOW)) + " }";
        }
        if (kind < 8) {
            return "request_range { " + range() + " }";
        }
        if (kind < 10) {
            return "request_delete_range { " + keys(pick(HIGH), false) + flag("prev_kv", 2) + " }";
        }
        return depth < MOST_DEPTH ? "request_txn { " + txn(depth + 1) + " }" : "request_range { " + range() + " }";
    }
}
