/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.layering;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The methods by which the contents of the store change; stateless. */
final class StoreWrites {
    private static final String STORE = "dev.nightjar.core.mvcc.MvccStore";

    /** Keys, transactions, compaction, and what makes them visible. */
    static final Map<String, Set<String>> KEYS = Map.of(
            STORE,
            Set.of("begin", "compact", "commit", "publish"),
            "dev.nightjar.core.mvcc.WriteTxn",
            Set.of("put", "delete", "end"));

    /** Rows beside the keys: each kind belongs to a registry of core, which apply tells what to change. */
    static final Map<String, Set<String>> ROWS = Map.of(STORE, Set.of("putRow", "removeRow"));

    private StoreWrites() {}

    static DescribedPredicate<JavaMethodCall> call(Map<String, Set<String>> methods) {
        return DescribedPredicate.describe(
                "change the store",
                call -> methods.getOrDefault(call.getTargetOwner().getName(), Set.of())
                        .contains(call.getName()));
    }

    /** The methods named here that the code does not have: the rule would say nothing about their successors. */
    static List<String> missing(JavaClasses classes) {
        return Stream.concat(KEYS.entrySet().stream(), ROWS.entrySet().stream())
                .flatMap(type -> type.getValue().stream().flatMap(method -> {
                    boolean exists = classes.contain(type.getKey())
                            && classes.get(type.getKey()).getMethods().stream()
                                    .anyMatch(candidate -> candidate.getName().equals(method));
                    return exists ? Stream.empty() : Stream.of(type.getKey() + "." + method);
                }))
                .sorted()
                .toList();
    }
}
