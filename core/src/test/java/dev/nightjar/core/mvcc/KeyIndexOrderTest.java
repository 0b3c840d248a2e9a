/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Keys come in any order of blocks, as several clients bring them; each is found at once and after all others. */
class KeyIndexOrderTest {

    private static final int BLOCK = 100;

    private final long seed = Long.getLong("nightjar.seed", System.nanoTime());
    private final Random random = new Random(seed);

    /** A page that is full to the byte with keys that need no heap has no room for a prefix. */
    @Test
    void aPageThatIsFullToTheByteIsSplitWithoutAPrefix() {
        insertAndFind(List.of(3, 5, 4, 1, 0, 2), "k");
    }

    @Test
    void keysThatComeInBlocksAreFound() {
        for (int round = 0; round < 400; round++) {
            int blocks = 2 + random.nextInt(12);
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i < blocks; i++) {
                order.add(i);
            }
            Collections.shuffle(order, random);
            String prefix =
                    List.of("k", "key-", "a/b/c/", "/registry/pods/default/").get(random.nextInt(4));
            insertAndFind(order, prefix);
        }
    }

    /** Few letters and all lengths: prefixes that cost more than they save, and those that are whole keys. */
    @Test
    void keysOfAllLengthsInAnyOrderAreFound() {
        for (int round = 0; round < 60; round++) {
            Set<String> unique = new LinkedHashSet<>();
            int longest = 3 + random.nextInt(12);
            String start = List.of("", "ab", "/registry/").get(random.nextInt(3));
            while (unique.size() < 25) {
                unique.add(word(longest));
            }
            for (int i = 0; i < 2000; i++) {
                unique.add(start + word(longest));
            }
            KeyIndex index = new KeyIndex();
            List<byte[]> keys = new ArrayList<>();
            for (String each : unique) {
                keys.add(each.getBytes(UTF_8));
                index.put(keys.getLast(), ChangeWord.put(keys.size() + 1, false), keys.size());
            }
            for (int i = 0; i < keys.size(); i++) {
                assertThat(index.find(keys.get(i), keys.size() + 1))
                        .as("%s, seed %d", new String(keys.get(i), UTF_8), seed)
                        .isEqualTo(i + 1);
            }
            index.close();
        }
    }

    private String word(int longest) {
        StringBuilder word = new StringBuilder();
        for (int i = 1 + random.nextInt(longest); i > 0; i--) {
            word.append((char) ('a' + random.nextInt(3)));
        }
        return word.toString();
    }

    private void insertAndFind(List<Integer> order, String prefix) {
        KeyIndex index = new KeyIndex();
        List<byte[]> keys = new ArrayList<>();
        long revision = 1;
        for (int block : order) {
            revision++;
            for (int i = block * BLOCK; i < (block + 1) * BLOCK; i++) {
                byte[] key = (prefix + i).getBytes(UTF_8);
                index.put(key, ChangeWord.put(revision, false), keys.size() + 1);
                keys.add(key);
            }
        }
        for (int i = 0; i < keys.size(); i++) {
            assertThat(index.find(keys.get(i), revision))
                    .as("%s after blocks %s, seed %d", new String(keys.get(i), UTF_8), order, seed)
                    .isEqualTo(i + 1);
        }
        index.close();
    }
}
