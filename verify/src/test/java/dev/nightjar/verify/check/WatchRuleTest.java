/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.mvccpb.Event;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each promise is broken once, in the smallest way, and the break must be seen; a faultless log must pass. */
class WatchRuleTest {
    private final History history = new History();
    private WatchCreateRequest.Builder request = everything();

    @BeforeEach
    void write() {
        history.apply(2, Operation.put("a", "1"));
        history.apply(3, Operation.put("a", "2"), Operation.put("b", "2"));
        history.apply(4, Operation.delete("a"));
        history.apply(5, Operation.put("a", "3"));
        history.apply(6, Operation.put("z", "4"));
    }

    private static WatchCreateRequest.Builder everything() {
        return WatchCreateRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8("a"))
                .setRangeEnd(ByteString.copyFromUtf8("y"));
    }

    @Test
    void a_faultless_log_passes() {
        assertThat(broken(created(1), batch(2, 3), batch(4), progress(4), batch(5), progress(6), progress(6)))
                .isEmpty();
    }

    @Test
    void a_faultless_log_with_previous_values_passes() {
        request.setPrevKv(true);
        assertThat(broken(created(1), withPrevious(2, 3, 4, 5))).isEmpty();
    }

    @Test
    void an_end_by_compaction_passes_when_it_took_something_away() {
        history.compacted(5);
        assertThat(broken(created(1), batch(2, 3), canceled(5))).isEmpty();
    }

    @Test
    void lifecycle_sees_a_delivery_before_creation() {
        assertThat(broken(batch(2), created(1))).contains("Lifecycle");
    }

    @Test
    void lifecycle_sees_a_second_creation() {
        assertThat(broken(created(1), created(1))).containsExactly("Lifecycle");
    }

    @Test
    void lifecycle_sees_events_after_the_end() {
        assertThat(broken(created(1), canceled(0), batch(2))).containsExactly("Lifecycle");
    }

    @Test
    void lifecycle_sees_a_second_end() {
        history.compacted(5);
        assertThat(broken(created(1), canceled(5), canceled(5))).containsExactly("Lifecycle");
    }

    @Test
    void lifecycle_sees_an_end_by_a_compaction_that_never_was() {
        assertThat(broken(created(1), canceled(5))).containsExactly("Lifecycle");
    }

    @Test
    void lifecycle_sees_an_end_by_a_compaction_that_took_nothing_away() {
        history.compacted(4);
        assertThat(broken(created(1), batch(2, 3), canceled(4))).containsExactly("Lifecycle");
    }

    @Test
    void ordered_sees_a_step_back() {
        assertThat(broken(created(1), batch(2), batch(4), batch(3))).contains("Ordered");
    }

    @Test
    void unique_sees_an_event_twice() {
        assertThat(broken(created(1), batch(2), batch(2))).contains("Unique");
    }

    @Test
    void atomic_sees_a_revision_in_two_responses() {
        List<Event> both = history.at(3);
        assertThat(broken(
                        created(1),
                        batch(2),
                        new Delivery.Events(stripped(both.subList(0, 1))),
                        new Delivery.Events(stripped(both.subList(1, 2)))))
                .containsExactly("Atomic");
    }

    @Test
    void reliable_sees_a_gap() {
        assertThat(broken(created(1), batch(2), batch(4))).containsExactly("Reliable");
    }

    @Test
    void reliable_sees_half_a_revision() {
        assertThat(broken(
                        created(1),
                        batch(2),
                        new Delivery.Events(stripped(history.at(3).subList(0, 1)))))
                .containsExactly("Reliable");
    }

    @Test
    void reliable_sees_the_wrong_order_inside_a_revision() {
        assertThat(broken(
                        created(1),
                        batch(2),
                        new Delivery.Events(stripped(history.at(3).reversed()))))
                .containsExactly("Reliable");
    }

    @Test
    void reliable_sees_an_event_from_before_the_start() {
        assertThat(broken(created(2), batch(2, 3))).containsExactly("Reliable");
    }

    @Test
    void resumable_sees_a_late_start() {
        request.setStartRevision(2);
        assertThat(broken(created(6), batch(4, 5))).contains("Resumable");
    }

    @Test
    void bookmarkable_sees_an_event_at_or_below_the_mark() {
        assertThat(broken(created(1), batch(2), progress(3), batch(3))).containsExactly("Bookmarkable");
    }

    @Test
    void bookmarkable_sees_a_mark_that_goes_down() {
        assertThat(broken(created(1), batch(2, 3, 4, 5), progress(6), progress(5)))
                .containsExactly("Bookmarkable");
    }

    @Test
    void bookmarkable_sees_a_promise_of_what_has_not_come() {
        assertThat(broken(created(1), batch(2), progress(5))).contains("Bookmarkable");
    }

    @Test
    void bookmarkable_sees_progress_before_a_future_start() {
        request.setStartRevision(9);
        assertThat(broken(created(6), progress(6))).containsExactly("Bookmarkable");
    }

    @Test
    void filtered_sees_a_key_out_of_range() {
        assertThat(broken(created(5), batch(6))).contains("Filtered");
    }

    @Test
    void filtered_sees_a_type_that_was_filtered_away() {
        request.addFilters(WatchCreateRequest.FilterType.NODELETE);
        assertThat(broken(created(3), batch(4))).contains("Filtered");
    }

    @Test
    void content_sees_a_wrong_value_a_wrong_version_and_a_wrong_creation() {
        Event right = stripped(history.at(5)).getFirst();
        Event.Builder value = right.toBuilder();
        value.getKvBuilder().setValue(ByteString.copyFromUtf8("other"));
        Event.Builder version = right.toBuilder();
        version.getKvBuilder().setVersion(9);
        Event.Builder creation = right.toBuilder();
        creation.getKvBuilder().setCreateRevision(2);
        for (Event.Builder wrong : List.of(value, version, creation)) {
            assertThat(broken(created(4), new Delivery.Events(List.of(wrong.build()))))
                    .containsExactly("Content");
        }
    }

    @Test
    void content_sees_a_deletion_that_carries_a_value() {
        Event.Builder wrong = stripped(history.at(4)).getFirst().toBuilder();
        wrong.getKvBuilder().setValue(ByteString.copyFromUtf8("2"));
        assertThat(broken(created(3), new Delivery.Events(List.of(wrong.build()))))
                .containsExactly("Content");
    }

    @Test
    void previous_value_sees_that_it_is_missing() {
        request.setPrevKv(true);
        assertThat(broken(created(3), batch(4))).containsExactly("PreviousValue");
    }

    @Test
    void previous_value_may_be_missing_where_a_compaction_has_passed() {
        request.setPrevKv(true);
        history.compacted(4);
        assertThat(broken(created(3), batch(4, 5))).isEmpty();
    }

    @Test
    void previous_value_sees_one_that_was_not_asked_for() {
        assertThat(broken(created(3), withPrevious(4))).containsExactly("PreviousValue");
    }

    @Test
    void previous_value_sees_a_wrong_one() {
        request.setPrevKv(true);
        Event.Builder wrong = history.at(4).getFirst().toBuilder();
        wrong.getPrevKvBuilder().setValue(ByteString.copyFromUtf8("1"));
        assertThat(broken(created(3), new Delivery.Events(List.of(wrong.build()))))
                .containsExactly("PreviousValue");
    }

    /** The names of the rules that the log breaks, each once. */
    private List<String> broken(Delivery... deliveries) {
        WatchLog log = new WatchLog(request.build());
        Arrays.asList(deliveries).forEach(log::add);
        return WatchChecks.violations(log, history).stream()
                .map(violation -> violation.substring(0, violation.indexOf(':')))
                .distinct()
                .toList();
    }

    private static Delivery created(long revision) {
        return new Delivery.Created(revision);
    }

    private static Delivery progress(long revision) {
        return new Delivery.Progress(revision);
    }

    private static Delivery canceled(long compactRevision) {
        return new Delivery.Canceled(compactRevision);
    }

    private Delivery batch(long... revisions) {
        return new Delivery.Events(stripped(events(revisions)));
    }

    private Delivery withPrevious(long... revisions) {
        return new Delivery.Events(events(revisions));
    }

    private List<Event> events(long... revisions) {
        return Arrays.stream(revisions)
                .boxed()
                .flatMap(revision -> history.at(revision).stream())
                .toList();
    }

    private static List<Event> stripped(List<Event> events) {
        return events.stream()
                .map(event -> event.toBuilder().clearPrevKv().build())
                .toList();
    }
}
