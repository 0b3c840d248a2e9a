/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.layering;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import java.util.Map;
import java.util.Set;

/** Calls by which code reads the world by itself, or makes threads, instead of being handed them; stateless. */
final class Impurities {
    private static final Map<String, Set<String>> METHODS = Map.ofEntries(
            Map.entry("java.lang.System", Set.of("currentTimeMillis", "nanoTime", "getenv", "getProperty", "exit")),
            Map.entry("java.lang.Thread", Set.of("start", "sleep", "ofVirtual", "ofPlatform", "startVirtualThread")),
            Map.entry("java.lang.Math", Set.of("random")),
            Map.entry("java.time.Instant", Set.of("now")),
            Map.entry("java.time.LocalDateTime", Set.of("now")),
            Map.entry("java.time.ZonedDateTime", Set.of("now")),
            Map.entry("java.time.Clock", Set.of("systemUTC", "systemDefaultZone", "system")),
            Map.entry("java.util.UUID", Set.of("randomUUID")),
            Map.entry("java.util.concurrent.ThreadLocalRandom", Set.of("current")),
            Map.entry(
                    "java.util.concurrent.Executors",
                    Set.of(
                            "newFixedThreadPool",
                            "newCachedThreadPool",
                            "newSingleThreadExecutor",
                            "newScheduledThreadPool",
                            "newSingleThreadScheduledExecutor",
                            "newWorkStealingPool",
                            "newVirtualThreadPerTaskExecutor",
                            "newThreadPerTaskExecutor")),
            Map.entry("java.util.concurrent.CompletableFuture", Set.of("runAsync", "supplyAsync", "delayedExecutor")),
            Map.entry("java.util.concurrent.ForkJoinPool", Set.of("commonPool")));

    private static final Set<String> CONSTRUCTIONS = Set.of(
            "java.lang.Thread",
            "java.util.Random",
            "java.util.SplittableRandom",
            "java.security.SecureRandom",
            "java.util.Timer",
            "java.util.concurrent.ThreadPoolExecutor",
            "java.util.concurrent.ScheduledThreadPoolExecutor",
            "java.util.concurrent.ForkJoinPool");

    private Impurities() {}

    static DescribedPredicate<JavaMethodCall> call() {
        return DescribedPredicate.describe(
                "read clock, chance or environment, or make threads",
                call -> METHODS.getOrDefault(owner(call), Set.of()).contains(call.getName()));
    }

    static DescribedPredicate<JavaConstructorCall> construction() {
        return DescribedPredicate.describe(
                "make threads or sources of chance", call -> CONSTRUCTIONS.contains(owner(call)));
    }

    private static String owner(JavaCall<?> call) {
        return call.getTargetOwner().getName();
    }
}
