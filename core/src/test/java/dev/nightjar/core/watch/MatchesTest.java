/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.mvcc.Change;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class MatchesTest {
    private final MemoryStore store = new MemoryStore();
    private final Matches matches = new Matches();

    private void put(String value) {
        List<Change> changes = store.write(List.of(new MemoryStore.Op("k", value)));
        store.publish();
        changes.forEach(matches::add);
    }

    private EventBatch batch(int from, int options, long limitBytes) {
        return Objects.requireNonNull(
                matches.batch(from, options, 0, new Matches.Source(store, limitBytes, Long.MAX_VALUE)));
    }

    @Test
    void watchers_with_the_same_options_share_a_batch_and_its_encoding() {
        put("2");
        put("3");
        EventBatch batch = batch(0, 0, 1000);
        assertThat(batch.encoded()).isNull();
        batch.keepEncoded("encoded".getBytes(StandardCharsets.UTF_8));
        assertThat(batch(0, Watcher.FRAGMENT | Watcher.PROGRESS, 1000)).isSameAs(batch);
        assertThat(batch(0, Watcher.PREVIOUS, 1000)).isNotSameAs(batch);
        assertThat(batch(0, Watcher.NO_DELETE, 1000)).isNotSameAs(batch);
        assertThat(batch(1, 0, 1000)).isNotSameAs(batch).isSameAs(batch(1, 0, 1000));
    }

    @Test
    void only_so_many_batches_are_kept_for_others() {
        for (int i = 0; i <= Matches.SHARED_BATCHES; i++) {
            put("v");
        }
        for (int i = 0; i < Matches.SHARED_BATCHES; i++) {
            assertThat(batch(i, 0, 1)).isSameAs(batch(i, 0, 1));
        }
        int last = Matches.SHARED_BATCHES;
        assertThat(batch(last, 0, 1)).isNotSameAs(batch(last, 0, 1));
        assertThat(batch(last, 0, 1).lastRevision()).isEqualTo(last + 2);
    }

    @Test
    void a_previous_value_is_kept_with_the_change_if_the_recent_history_has_counted_it() {
        put("p".repeat(EventHistory.SMALL_PREVIOUS_BYTES + 100));
        put("small");
        put("smaller");
        EventBatch batch = batch(0, Watcher.PREVIOUS, 1000);
        assertThat(batch.previous(0)).isNull();
        assertThat(batch.previous(1)).isEqualTo(batch.change(0).keyValue());
        assertThat(batch.change(1).cachedPrevious())
                .as("larger than what was charged")
                .isNull();
        assertThat(batch.change(2).cachedPrevious()).isEqualTo(batch.change(1).keyValue());
    }

    @Test
    void a_batch_ends_with_the_revision_that_reaches_the_limit_previous_values_included() {
        put("p".repeat(1000));
        put("2");
        put("3");
        put("4");
        assertThat(batch(1, 0, 1000).size()).isEqualTo(3);
        assertThat(batch(1, Watcher.PREVIOUS, 1000).size()).isEqualTo(1);
    }
}
