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
    private static final Map<String, Set<String>> METHODS = Map.of(
            "dev.nightjar.core.mvcc.MvccStore",
            Set.of("begin", "putRow", "removeRow", "compact", "commit", "publish"),
            "dev.nightjar.core.mvcc.WriteTxn",
            Set.of("put", "delete", "end"));

    private StoreWrites() {}

    static DescribedPredicate<JavaMethodCall> call() {
        return DescribedPredicate.describe(
                "change the store",
                call -> METHODS.getOrDefault(call.getTargetOwner().getName(), Set.of())
                        .contains(call.getName()));
    }

    /** The methods named here that the code does not have: the rule would say nothing about their successors. */
    static List<String> missing(JavaClasses classes) {
        return METHODS.entrySet().stream()
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
