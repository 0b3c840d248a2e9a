/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Cuts the power at every step of many random histories. Whatever an operation has promised before the cut must be true
 * after it; the operation under way may have happened, in part or not at all.
 */
class LogCrashTest {
    private static final int HISTORIES = 15;
    private static final int OPERATIONS = 30;

    /** What the log must hold: the term of each entry. */
    private static final class Model {
        private final TreeMap<Long, Long> terms = new TreeMap<>();
        private long first = 1;
        private long term = 1;

        long last() {
            return terms.isEmpty() ? first - 1 : terms.lastKey();
        }
    }

    @Test
    void nothing_promised_is_lost_wherever_the_power_goes() throws Exception {
        long seed = Long.getLong("nightjar.seed", System.nanoTime());
        try {
            for (int i = 0; i < HISTORIES; i++) {
                cutEverywhere(seed + i);
            }
        } catch (AssertionError | IOException e) {
            throw new AssertionError("replay with -Dnightjar.seed=" + seed, e);
        }
    }

    private static void cutEverywhere(long seed) throws IOException {
        HostileFiles whole = new HostileFiles();
        run(whole, new Random(seed), new Model());
        int steps = whole.steps();
        assertThat(steps).isGreaterThan(OPERATIONS);
        for (int step = 0; step < steps; step++) {
            HostileFiles files = new HostileFiles();
            files.failAt(step, HostileFiles.Fault.CRASH);
            Model model = new Model();
            Operation underWay = run(files, new Random(seed), model);
            HostileFiles after = files.afterPowerCut(new Random(seed * 31 + step));
            checkTwice(after, model, underWay, seed * 17 + step);
        }
    }

    /** Opens after the cut; cuts the power again while that repairs the log; opens again. */
    private static void checkTwice(HostileFiles after, Model model, Operation underWay, long seed) throws IOException {
        HostileFiles again = after.afterKill();
        again.failAt((int) Math.floorMod(seed, 4L), HostileFiles.Fault.CRASH);
        try (SegmentedLog log = Logs.open(again)) {
            check(log, model, underWay);
        } catch (IOException powerCut) {
            assertThat(powerCut).hasMessageContaining("power");
        }
        again = again.afterPowerCut(new Random(seed));
        try (SegmentedLog log = Logs.open(again)) {
            check(log, model, underWay);
            long next = log.lastIndex() + 1;
            log.append(Logs.group(next, 3, model.term + 1));
        }
    }

    private static void check(SegmentedLog log, Model model, Operation underWay) throws IOException {
        List<Long> firsts = new ArrayList<>(List.of(model.first));
        long lowestLast = model.last();
        long highestLast = model.last();
        boolean mayBeEmptyAtFirst = false;
        switch (underWay) {
            case Operation.None() -> {}
            case Operation.Append(int count) -> highestLast += count;
            case Operation.TruncateSuffix(long index) -> lowestLast = index;
            case Operation.TruncatePrefix(long index) -> {
                firsts.add(index);
                mayBeEmptyAtFirst = index > model.last() + 1;
            }
            case Operation.Reset(long index) -> {
                firsts.add(index);
                mayBeEmptyAtFirst = true;
            }
        }
        assertThat(log.firstIndex()).isIn(firsts);
        if (mayBeEmptyAtFirst && log.firstIndex() == firsts.getLast() && log.lastIndex() == log.firstIndex() - 1) {
            return;
        }
        assertThat(log.lastIndex()).isBetween(lowestLast, highestLast);
        for (long index = log.firstIndex(); index <= log.lastIndex(); index++) {
            LogRecord entry = log.read(index);
            assertThat(entry).isNotNull();
            if (entry != null) {
                assertThat(entry.term()).isEqualTo(model.terms.getOrDefault(index, model.term));
                assertThat(Logs.text(entry)).isEqualTo(Logs.payload(index, entry.term()));
            }
        }
    }

    /** Runs a history; returns the operation that the power cut has hit. */
    private static Operation run(HostileFiles files, Random random, Model model) {
        Operation underWay = new Operation.None();
        try (SegmentedLog log = Logs.open(files)) {
            for (int i = 0; i < OPERATIONS; i++) {
                underWay = choose(random, model);
                apply(log, model, underWay);
                underWay = new Operation.None();
            }
        } catch (IOException powerCut) {
            assertThat(powerCut).hasMessageContaining("power");
        }
        return underWay;
    }

    private static Operation choose(Random random, Model model) {
        int length = (int) (model.last() - model.first + 1);
        int choice = random.nextInt(20);
        if (choice == 0) {
            return new Operation.TruncateSuffix(model.first - 1 + random.nextInt(length + 1));
        } else if (choice == 1) {
            return new Operation.TruncatePrefix(model.first + random.nextInt(length + 4));
        } else if (choice == 2 && random.nextInt(3) == 0) {
            return new Operation.Reset(model.first + random.nextInt(length + 10));
        } else {
            return new Operation.Append(1 + random.nextInt(12));
        }
    }

    private static void apply(SegmentedLog log, Model model, Operation operation) throws IOException {
        switch (operation) {
            case Operation.None() -> {}
            case Operation.Append(int count) -> {
                long next = model.last() + 1;
                log.append(Logs.group(next, count, model.term));
                for (long index = next; index < next + count; index++) {
                    model.terms.put(index, model.term);
                }
            }
            case Operation.TruncateSuffix(long index) -> {
                log.truncateSuffix(index);
                model.terms.tailMap(index, false).clear();
                model.term++;
            }
            case Operation.TruncatePrefix(long index) -> {
                log.truncatePrefix(index);
                model.terms.headMap(index, false).clear();
                model.first = index;
            }
            case Operation.Reset(long index) -> {
                log.reset(index);
                model.terms.clear();
                model.first = index;
                model.term++;
            }
        }
    }

    /** A step of a history. */
    private sealed interface Operation {
        record None() implements Operation {}

        record Append(int count) implements Operation {}

        record TruncateSuffix(long index) implements Operation {}

        record TruncatePrefix(long index) implements Operation {}

        record Reset(long index) implements Operation {}
    }
}
