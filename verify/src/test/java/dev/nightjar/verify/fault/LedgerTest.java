/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.verify.check.History;
import dev.nightjar.verify.check.Operation;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private final Ledger ledger = new Ledger();
    private final History history = new History();

    private static List<Operation> put(String value) {
        return List.of(Operation.put("k", value));
    }

    private static List<Event> nothing(long revision) {
        return List.of();
    }

    /** What a watch would say if {@code value} had been put as the next revision. */
    private LongFunction<List<Event>> sees(String value) {
        List<Event> events = history.preview(put(value));
        return _ -> events;
    }

    @Test
    void acknowledged_writes_become_history_in_order() {
        ledger.acknowledged(3, put("b"));
        ledger.acknowledged(2, put("a"));
        ledger.tell(history, 3, LedgerTest::nothing);
        assertThat(history.revision()).isEqualTo(3);
        assertThat(history.at(3).getFirst().getPrevKv().getValue().toStringUtf8())
                .isEqualTo("a");
    }

    @Test
    void an_acknowledged_write_beyond_the_store_is_lost() {
        ledger.acknowledged(2, put("a"));
        ledger.acknowledged(3, put("b"));
        assertThatThrownBy(() -> ledger.tell(history, 2, LedgerTest::nothing)).hasMessageContaining("lost");
    }

    @Test
    void two_writes_cannot_have_made_one_revision() {
        ledger.acknowledged(2, put("a"));
        ledger.acknowledged(2, put("b"));
        assertThatThrownBy(() -> ledger.tell(history, 2, LedgerTest::nothing)).hasMessageContaining("acknowledged for");
    }

    @Test
    void an_unanswered_write_may_have_happened() {
        ledger.unanswered(put("a"));
        ledger.unanswered(put("b"));
        ledger.tell(history, 2, sees("b"));
        assertThat(history.at(2).getFirst().getKv().getValue().toStringUtf8()).isEqualTo("b");
    }

    @Test
    void an_unanswered_write_happens_at_most_once() {
        ledger.unanswered(put("a"));
        ledger.tell(history, 2, sees("a"));
        assertThatThrownBy(() -> ledger.tell(history, 3, sees("a"))).hasMessageContaining("made by nobody");
    }

    @Test
    void a_revision_that_no_write_explains_is_seen() {
        ledger.unanswered(put("a"));
        assertThatThrownBy(() -> ledger.tell(history, 2, sees("c"))).hasMessageContaining("made by nobody");
        assertThatThrownBy(() -> ledger.tell(history, 2, LedgerTest::nothing)).hasMessageContaining("made by nobody");
    }
}
