/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KeyIndexTest {

    private final long seed = Long.getLong("nightjar.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final KeyIndex index = new KeyIndex();
    private final TreeMap<byte[], Long> expected = new TreeMap<>(Arrays::compareUnsigned);
    private long revision = 1;

    @AfterEach
    void close() {
        index.close();
    }

    @Test
    void keysInOrderFillTheirPages() {
        putAll(30_000, i -> "/registry/pods/%08d".formatted(i));
        check();
        // Ascending keys leave full pages behind; half-full ones would take twice the memory.
        assertThat(index.pages().memoryBytes() / 30_000).isLessThan(70);
    }

    @Test
    void keysInReverseOrder() {
        putAll(20_000, i -> "/registry/pods/%08d".formatted(20_000 - i));
        check();
    }

    @Test
    void keysInRandomOrderStayWithinTheMemoryBound() {
        putAll(30_000, i -> "/registry/pods/ns-%04d/app-%010d-x7f3a".formatted(i * 7919 % 200, i * 104_729L % 30_011));
        check();
        assertThat(index.pages().memoryBytes() / 30_000).isLessThan(110);
    }

    @Test
    void keysOfAllLengthsAndBytes() {
        for (int i = 0; i < 6000; i++) {
            int length = random.nextInt(50) == 0 ? 990 + random.nextInt(30) : 1 + random.nextInt(12);
            byte[] key = new byte[length];
            for (int at = 0; at < length; at++) {
                key[at] = switch (random.nextInt(3)) {
                    case 0 -> 0;
                    case 1 -> (byte) 0xff;
                    default -> (byte) random.nextInt();
                };
            }
            put(key);
        }
        check();
    }

    @Test
    void oneKeyWithoutTheCommonPrefixAmongLongOnes() {
        byte[] prefix = new byte[900];
        Arrays.fill(prefix, (byte) 'p');
        for (int i = 0; i < 200; i++) {
            byte[] key = Arrays.copyOf(prefix, 910);
            key[905] = (byte) random.nextInt(256);
            key[909] = (byte) i;
            put(key);
        }
        put("a".getBytes(UTF_8));
        put("z".getBytes(UTF_8));
        byte[] middle = Arrays.copyOf(prefix, 450);
        put(middle);
        check();
    }

    @Test
    void keysLongerThanAPageLieOutsideAndAreGivenBack() {
        for (int i = 0; i < 300; i++) {
            byte[] key = new byte[LeafPages.MAX_INLINE_KEY - 5 + random.nextInt(10_000)];
            key[random.nextInt(key.length)] = (byte) random.nextInt();
            put(key);
        }
        assertThat(index.pages().longKeys().count()).isPositive();
        check();
        new ArrayList<>(expected.keySet()).forEach(this::delete);
        compactTo(revision + 1);
        assertThat(index.pages().longKeys().count()).isZero();
    }

    @Test
    void compactionMergesPagesAndNodesUntilTheTreeIsEmpty() {
        putAll(60_000, i -> "%08d".formatted(i * 31L % 60_013));
        assertThat(index.root().bottom).isFalse();
        List<byte[]> keys = new ArrayList<>(expected.keySet());
        Collections.shuffle(keys, random);
        while (!keys.isEmpty()) {
            List<byte[]> gone = keys.subList(Math.max(0, keys.size() - 9_000), keys.size());
            gone.forEach(this::delete);
            gone.clear();
            compactTo(revision + 1);
            check();
        }
        assertThat(index.root().bottom).isTrue();
        assertThat(index.root().size).isEqualTo(1);
        long memory = index.pages().memoryBytes();
        putAll(60_000, i -> "%08d".formatted(i * 31L % 60_013));
        check();
        assertThat(index.pages().memoryBytes()).as("pages are used again").isEqualTo(memory);
    }

    @Test
    void randomPutsAndDeletesWithCompactions() {
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            keys.add(("/k/" + random.nextInt(100_000)).getBytes(UTF_8));
        }
        for (int round = 0; round < 30; round++) {
            for (int i = 0; i < 1_000; i++) {
                byte[] key = keys.get(random.nextInt(keys.size()));
                if (random.nextInt(3) > 0) {
                    put(key);
                } else if (expected.containsKey(key)) {
                    delete(key);
                }
            }
            if (round % 3 == 2) {
                compactTo(revision);
            }
            check();
        }
    }

    @Test
    void historyKeepsWhatIsVisibleAtTheCompactedRevisionAndATombstoneExactlyThere() {
        byte[] key = {1};
        index.put(key, ChangeWord.put(5, false), 50);
        index.put(key, ChangeWord.put(7, true), 70);
        assertThat(index.previousPlace).isEqualTo(50);
        assertThat(ChangeWord.isLeased(index.previousWord)).isFalse();
        index.delete(key, 9, 90);
        assertThat(index.previousPlace).isEqualTo(70);
        assertThat(ChangeWord.isLeased(index.previousWord)).isTrue();

        assertThat(index.find(key, 4)).isZero();
        assertThat(index.find(key, 6)).isEqualTo(50);
        assertThat(index.find(key, 8)).isEqualTo(70);
        assertThat(index.find(key, 9)).isZero();

        assertThat(compactTo(7)).containsExactly(50L);
        assertThat(index.find(key, 8)).isEqualTo(70);
        assertThat(compactTo(9)).containsExactly(70L);
        assertThat(index.pages().count(index.root().pages[0]))
                .as("tombstone at 9")
                .isEqualTo(1);
        assertThat(compactTo(10)).containsExactly(90L);
        assertThat(index.pages().count(index.root().pages[0])).isZero();
        assertThat(index.history().size()).isZero();
    }

    @Test
    void tombstoneBelowTheCompactedRevisionGoesThoughTheKeyCameBack() {
        byte[] key = {1};
        index.put(key, ChangeWord.put(5, false), 50);
        index.delete(key, 7, 70);
        index.put(key, ChangeWord.put(9, false), 90);
        assertThat(index.createRevision).isEqualTo(9);
        assertThat(index.version).isEqualTo(1);
        assertThat(index.previousPlace).isZero();
        assertThat(compactTo(7)).containsExactly(50L);
        assertThat(compactTo(8)).containsExactly(70L);
        assertThat(index.history().size()).isZero();
        assertThat(index.find(key, 9)).isEqualTo(90);
    }

    @Test
    void lastChangeOfATransactionIsTheStateAtItsRevision() {
        byte[] key = {1};
        index.put(key, ChangeWord.put(5, false), 50);
        index.put(key, ChangeWord.put(6, false), 60);
        index.delete(key, 6, 61);
        assertThat(index.previousPlace).isEqualTo(60);
        assertThat(index.find(key, 5)).isEqualTo(50);
        assertThat(index.find(key, 6)).isZero();
        assertThat(index.count()).isZero();
    }

    @Test
    void versionThatDoesNotFitFourBytesIsMarked() {
        byte[] key = {1};
        index.restore(key, ChangeWord.put(5, false), 50, 2, 0xffff_fffdL);
        index.put(key, ChangeWord.put(6, false), 60);
        assertThat(Integer.toUnsignedLong(index.version)).isEqualTo(0xffff_fffeL);
        index.put(key, ChangeWord.put(7, false), 70);
        assertThat(index.version).isEqualTo(KeyIndex.SATURATED_VERSION);
        index.put(key, ChangeWord.put(8, false), 80);
        assertThat(index.version).isEqualTo(KeyIndex.SATURATED_VERSION);
        assertThat(index.createRevision).isEqualTo(2);
    }

    @Test
    void historyOfOneKeyGrowsAndShrinks() {
        byte[] key = {1};
        for (int i = 1; i <= 10_000; i++) {
            index.put(key, ChangeWord.put(i, false), i);
        }
        for (int i = 1; i <= 10_000; i++) {
            assertThat(index.find(key, i)).isEqualTo(i);
        }
        assertThat(compactTo(9_000)).hasSize(8_999);
        assertThat(index.find(key, 9_000)).isEqualTo(9_000);
        assertThat(index.find(key, 8_999)).isZero();
    }

    // ---- helpers

    private void putAll(int count, IntFunction<String> name) {
        for (int i = 0; i < count; i++) {
            put(name.apply(i).getBytes(UTF_8));
        }
    }

    private void put(byte[] key) {
        revision++;
        index.put(key, ChangeWord.put(revision, false), revision);
        Long before = expected.put(key, revision);
        if (index.previousPlace != (before == null ? 0 : before)) {
            throw new AssertionError("the place before was " + before);
        }
    }

    private void delete(byte[] key) {
        revision++;
        index.delete(key, revision, revision);
        assertThat(index.previousPlace).isEqualTo(expected.remove(key));
    }

    private List<Long> compactTo(long target) {
        IndexCompaction compaction = new IndexCompaction(index, target);
        List<Long> dropped = new ArrayList<>();
        while (!compaction.isDone()) {
            compaction.step();
            Arrays.stream(compaction.dropped()).forEach(dropped::add);
        }
        Collections.sort(dropped);
        return dropped;
    }

    private void check() {
        try {
            assertThat(index.count()).isEqualTo(expected.size());
            checkScan(new byte[0], null, expected);
            List<byte[]> keys = new ArrayList<>(expected.keySet());
            for (int i = 0; i < 50 && !keys.isEmpty(); i++) {
                byte[] from = keys.get(random.nextInt(keys.size()));
                byte[] to = keys.get(random.nextInt(keys.size()));
                assertThat(index.find(from, revision)).isEqualTo(expected.get(from));
                if (Arrays.compareUnsigned(from, to) <= 0) {
                    checkScan(from, to, expected.subMap(from, true, to, false));
                }
                assertThat(index.count(from, null))
                        .isEqualTo(expected.tailMap(from, true).size());
            }
        } catch (AssertionError e) {
            throw new AssertionError("replay with -Dnightjar.seed=" + seed, e);
        }
    }

    private void checkScan(byte[] from, byte @Nullable [] to, NavigableMap<byte[], Long> inRange) {
        KeyScan scan = new KeyScan(from, to, revision, Long.MAX_VALUE, true);
        while (!scan.isDone()) {
            scan.readChunk(index);
        }
        assertThat(scan.count()).isEqualTo(inRange.size());
        assertThat(index.count(from, to)).isEqualTo(inRange.size());
        int i = 0;
        for (Map.Entry<byte[], Long> entry : inRange.entrySet()) {
            if (!Arrays.equals(scan.key(i), entry.getKey()) || scan.place(i) != entry.getValue()) {
                throw new AssertionError("entry " + i + " differs");
            }
            i++;
        }
    }
}
