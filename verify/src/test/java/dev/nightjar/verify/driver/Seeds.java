/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** Seeds of random tests; any thread. */
public final class Seeds {
    /** System property: the seed to use instead of a new one. */
    public static final String PROPERTY = "nightjar.seed";

    private Seeds() {}

    /** The seed of this run: the one given, or a new one. */
    public static long seed() {
        Long given = Long.getLong(PROPERTY);
        return given != null ? given : ThreadLocalRandom.current().nextLong(1_000_000_000L);
    }

    /** The generator number {@code stream} of a seed: the same two numbers give the same sequence. */
    public static RandomGenerator generator(long seed, long stream) {
        return RandomGeneratorFactory.of("L64X128MixRandom").create(seed * 1_000_003L + stream);
    }

    /** Words for the message of a failure: how to run the same again. */
    public static String replay(Class<?> test, long seed) {
        return "replay: ./mvnw -pl verify -am test -Dsurefire.failIfNoSpecifiedTests=false -Dtest=%s -D%s=%d"
                .formatted(test.getSimpleName(), PROPERTY, seed);
    }
}
