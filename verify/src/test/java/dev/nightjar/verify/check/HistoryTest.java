/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.nightjar.verify.driver.WireText;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryTest {
    private final History history = new History();

    @Test
    void a_key_keeps_its_create_revision_and_counts_its_versions_until_it_is_deleted() {
        history.apply(2, Operation.put("a", "x"));
        history.apply(3, Operation.put("a", "y"));
        history.apply(4, Operation.delete("a"));
        history.apply(5, Operation.put("a", "z"));
        assertThat(texts())
                .containsExactly(
                        "PUT a=x c2 m2 v1",
                        "PUT a=y c2 m3 v2 prev a=x c2 m2 v1",
                        "DELETE a m4 prev a=y c2 m3 v2",
                        "PUT a=z c5 m5 v1");
        assertThat(history.live().values().stream().map(WireText::of)).containsExactly("a=z c5 m5 v1");
    }

    @Test
    void a_transaction_sees_its_own_earlier_steps() {
        history.apply(2, Operation.put("b", "1"));
        KeyRange everything = new KeyRange(ByteString.copyFromUtf8("a"), ByteString.copyFrom(new byte[] {0}));
        history.apply(3, List.of(Operation.put("c", "2"), new Operation.Delete(everything), Operation.delete("b")));
        assertThat(texts().subList(1, 4))
                .containsExactly("PUT c=2 c3 m3 v1", "DELETE b m3 prev b=1 c2 m2 v1", "DELETE c m3 prev c=2 c3 m3 v1");
    }

    @Test
    void a_transaction_that_changes_nothing_makes_no_revision() {
        assertThat(history.preview(List.of(Operation.delete("a")))).isEmpty();
        assertThatThrownBy(() -> history.apply(2, Operation.delete("a"))).hasMessageContaining("changes nothing");
    }

    @Test
    void revisions_have_no_gap() {
        assertThatThrownBy(() -> history.apply(3, Operation.put("a", "x"))).hasMessageContaining("revision 3 after 1");
    }

    @Test
    void ranges_compare_unsigned_bytes() {
        KeyRange range = new KeyRange(ByteString.copyFromUtf8("a"), ByteString.copyFrom(new byte[] {(byte) 0xff}));
        assertThat(range.contains(ByteString.copyFromUtf8("a"))).isTrue();
        assertThat(range.contains(ByteString.copyFrom(new byte[] {(byte) 0xfe, (byte) 0xff})))
                .isTrue();
        assertThat(range.contains(ByteString.copyFrom(new byte[] {(byte) 0xff})))
                .isFalse();
        assertThat(range.contains(ByteString.copyFromUtf8("A"))).isFalse();
    }

    private List<String> texts() {
        return history.between(0, history.revision(), _ -> true).stream()
                .map(WireText::of)
                .toList();
    }
}
