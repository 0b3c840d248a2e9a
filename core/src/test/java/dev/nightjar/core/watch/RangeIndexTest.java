/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RangeIndexTest {
    private static final class Wish extends RangeMember<Wish> {
        Wish(KeyRange range) {
            super(new RangeSet<>(range));
        }
    }

    private static KeyRange range(String key, String end) {
        return Objects.requireNonNull(KeyRange.of(
                MemoryStore.bytes(key).toByteArray(), MemoryStore.bytes(end).toByteArray()));
    }

    @Test
    void the_kind_of_a_range_is_told_from_its_end() {
        assertThat(range("foo", "").kind()).isEqualTo(KeyRange.Kind.SINGLE);
        assertThat(range("foo", "fop").kind()).isEqualTo(KeyRange.Kind.PREFIX);
        assertThat(range("a\\xff", "b").kind()).isEqualTo(KeyRange.Kind.PREFIX);
        assertThat(range("a\\xff\\xff", "b").kind()).isEqualTo(KeyRange.Kind.PREFIX);
        assertThat(range("a\\x7f", "a\\x80").kind()).isEqualTo(KeyRange.Kind.PREFIX);
        assertThat(range("foo", "\\x00").kind()).isEqualTo(KeyRange.Kind.OPEN);
        assertThat(range("foo", "fooo").kind()).isEqualTo(KeyRange.Kind.INTERVAL);
        assertThat(range("foo", "foq").kind()).isEqualTo(KeyRange.Kind.INTERVAL);
        assertThat(range("foo", "fop\\x00").kind()).isEqualTo(KeyRange.Kind.INTERVAL);
        assertThat(range("\\xff", "\\xff\\xff").kind()).isEqualTo(KeyRange.Kind.INTERVAL);
        assertThat(KeyRange.of(new byte[] {(byte) 0x80}, new byte[] {0x7f}))
                .as("bytes are unsigned")
                .isNull();
    }

    @Test
    void finds_exactly_what_a_look_at_every_range_finds() {
        for (long seed : Seeds.some(20)) {
            try {
                againstLinearSearch(new Random(seed));
            } catch (AssertionError | RuntimeException e) {
                throw Seeds.failed(seed, "RangeIndexTest", e);
            }
        }
    }

    private static void againstLinearSearch(Random random) {
        RangeIndex<Wish> index = new RangeIndex<>();
        List<Wish> model = new ArrayList<>();
        int most = 1 + random.nextInt(300);
        for (int step = 0; step < 3000; step++) {
            if (model.size() < most && random.nextInt(5) < 3) {
                KeyRange range = randomRange(random);
                if (range != null) {
                    Wish wish = new Wish(range);
                    index.add(wish);
                    model.add(wish);
                }
            } else if (!model.isEmpty()) {
                Wish wish = model.remove(random.nextInt(model.size()));
                index.remove(wish);
                if (random.nextBoolean()) {
                    index.add(wish);
                    model.add(wish);
                }
            }
            assertSame(index, model, randomKey(random, 4));
        }
        model.forEach(index::remove);
        assertThat(index.size()).isZero();
        assertThat(index.isBare()).as("all memory is given back").isTrue();
    }

    private static void assertSame(RangeIndex<Wish> index, List<Wish> model, byte[] key) {
        Set<Wish> found = new HashSet<>();
        index.match(key, set -> {
            assertThat(set.contains(key)).isTrue();
            for (Wish wish = set.first; wish != null; wish = wish.nextInSet) {
                assertThat(found.add(wish)).as("shown once").isTrue();
            }
        });
        Set<Wish> expected = new HashSet<>();
        model.stream().filter(wish -> wish.set.contains(key)).forEach(expected::add);
        assertThat(found).isEqualTo(expected);
    }

    private static @Nullable KeyRange randomRange(Random random) {
        byte[] key = randomKey(random, 4);
        return switch (random.nextInt(8)) {
            case 0 -> KeyRange.of(key, new byte[] {0});
            case 1, 2 -> KeyRange.of(key, randomKey(random, 4));
            case 3, 4 -> {
                byte[] end = key.clone();
                end[end.length - 1]++;
                yield KeyRange.of(key, end);
            }
            default -> KeyRange.of(key, new byte[0]);
        };
    }

    private static byte[] randomKey(Random random, int longest) {
        byte[] alphabet = {0, 'a', 'b', 0x7f, (byte) 0x80, (byte) 0xff};
        byte[] key = new byte[1 + random.nextInt(longest)];
        for (int i = 0; i < key.length; i++) {
            key[i] = alphabet[random.nextInt(alphabet.length)];
        }
        return key;
    }

    @Test
    void members_of_one_range_share_one_set_and_its_bytes() {
        RangeIndex<Wish> index = new RangeIndex<>();
        Wish one = new Wish(range("foo", "fop"));
        Wish two = new Wish(range("foo", "fop"));
        index.add(one);
        index.add(two);
        assertThat(two.set).isSameAs(one.set);
        index.remove(one);
        assertThat(one.set.kind()).as("it still knows its range").isEqualTo(KeyRange.Kind.PREFIX);
        index.add(one);
        assertThat(one.set).isSameAs(two.set);
    }

    @Test
    void a_tree_has_no_nodes_but_where_keys_part() {
        WatcherTree<Wish> tree = new WatcherTree<>();
        List<RangeSet<Wish>> sets = new ArrayList<>();
        for (String key : new String[] {"pods/a", "pods/b", "pods/bb", "nodes/x", "p"}) {
            RangeSet<Wish> set = new RangeSet<>(range(key, ""));
            assertThat(tree.insert(set)).isSameAs(set);
            sets.add(set);
        }
        assertThat(tree.nodeCount()).as("root, p, pods/, pods/b").isEqualTo(4);
        tree.remove(sets.get(2));
        assertThat(tree.nodeCount()).isEqualTo(3);
        tree.remove(sets.get(4));
        assertThat(tree.nodeCount()).isEqualTo(2);
        tree.remove(sets.get(0));
        assertThat(tree.nodeCount()).isEqualTo(1);
        assertThatThrownBy(() -> tree.remove(sets.get(0))).isInstanceOf(IllegalStateException.class);
        tree.remove(sets.get(1));
        tree.remove(sets.get(3));
        assertThat(tree.isEmpty()).isTrue();
    }

    @Test
    void many_intervals_in_order_make_no_deep_tree() {
        RangeIndex<Wish> index = new RangeIndex<>();
        List<Wish> wishes = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            String key = "%08d".formatted(i);
            Wish wish = new Wish(range(key, key + "5"));
            index.add(wish);
            wishes.add(wish);
        }
        int[] found = new int[1];
        index.match("000777773".getBytes(StandardCharsets.UTF_8), set -> found[0]++);
        assertThat(found[0]).isEqualTo(1);
        wishes.forEach(index::remove);
        assertThat(index.isBare()).isTrue();
    }

    @Test
    void a_table_of_watchers_keeps_and_loses_any_ids() {
        Random random = new Random(1);
        WatcherTable table = new WatcherTable();
        WatchScript script = new WatchScript();
        List<Watcher> model = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            long id = random.nextBoolean() ? random.nextInt(500) : random.nextInt(500) * (1L << 40);
            Watcher there = table.get(id);
            assertThat(model.stream().anyMatch(watcher -> watcher.id == id)).isEqualTo(there != null);
            if (there == null && (step / 4000) % 2 == 0) {
                Watcher added = new Watcher(script.stream("s"), id, range("a", ""), 0, 1);
                table.add(added);
                model.add(added);
            } else if (there != null) {
                table.remove(there);
                model.remove(there);
                assertThatThrownBy(() -> table.remove(there)).isInstanceOf(IllegalStateException.class);
            }
            assertThat(table.size()).isEqualTo(model.size());
        }
        Set<Watcher> shown = new HashSet<>();
        table.forEach(shown::add);
        assertThat(shown).containsExactlyInAnyOrderElementsOf(model);
    }
}
