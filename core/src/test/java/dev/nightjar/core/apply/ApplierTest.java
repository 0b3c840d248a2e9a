/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import static dev.nightjar.core.apply.Requests.b;
import static dev.nightjar.core.apply.Requests.op;
import static dev.nightjar.core.apply.Requests.put;
import static dev.nightjar.core.apply.Requests.putOp;
import static dev.nightjar.core.apply.Requests.range;
import static dev.nightjar.core.apply.Requests.rangeOp;
import static dev.nightjar.core.apply.Requests.txn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.AlarmType;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.Member;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.api.mvccpb.KeyValue;
import dev.nightjar.core.mvcc.RangeQuery;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ApplierTest {
    @TempDir
    Path directory;

    private AppliedStore state;

    @BeforeEach
    void open() throws IOException {
        state = new AppliedStore(directory);
    }

    @AfterEach
    void close() throws IOException {
        state.close();
    }

    private Result put(String key, String value) {
        return state.apply(CommandType.PUT, Requests.put(key, value).build());
    }

    private Result delete(String key, String end) {
        return state.apply(
                CommandType.DELETE_RANGE,
                DeleteRangeRequest.newBuilder()
                        .setKey(b(key))
                        .setRangeEnd(b(end))
                        .setPrevKv(true)
                        .build());
    }

    private Result compact(long revision) {
        return state.apply(
                CommandType.COMPACTION,
                CompactionRequest.newBuilder().setRevision(revision).build());
    }

    private static Result failed(ApiError error) {
        return new Result.Failed(error);
    }

    private KeyValue read(String key) throws IOException {
        return KeyValue.parseFrom(state.store
                .range(RangeQuery.of(b(key).toByteArray()))
                .kvs()
                .getFirst()
                .encoded());
    }

    @Test
    void each_change_makes_one_revision_and_nothing_else_does() {
        assertThat(state.store.publishedRevision()).isEqualTo(1);
        assertThat(put("a", "1")).isEqualTo(new Result.Put(2, null));
        assertThat(put("a", "1")).isEqualTo(new Result.Put(3, null));
        assertThat(delete("missing", "")).isEqualTo(new Result.Deleted(3, 0, List.of()));
        assertThat(((Result.Deleted) delete("a", "")).revision()).isEqualTo(4);
        assertThat(state.store.publishedRevision()).isEqualTo(4);
    }

    @Test
    void nothing_is_readable_before_the_batch_is_committed() {
        state.applyWithoutCommit(CommandType.PUT, Requests.put("a", "1").build());
        assertThat(state.store.publishedRevision()).isEqualTo(1);
        assertThat(state.store.range(RangeQuery.of(b("a").toByteArray())).count())
                .isZero();
        state.commit();
        assertThat(state.store.range(RangeQuery.of(b("a").toByteArray())).count())
                .isEqualTo(1);
    }

    @Test
    void a_put_keeps_what_it_is_told_to_keep() throws IOException {
        put("a", "1");
        state.apply(CommandType.PUT, Requests.put("a", "").setIgnoreValue(true).build());
        KeyValue touched = read("a");
        assertThat(touched.getValue()).isEqualTo(b("1"));
        assertThat(touched.getVersion()).isEqualTo(2);
        assertThat(touched.getCreateRevision()).isEqualTo(2);
        assertThat(touched.getModRevision()).isEqualTo(3);
    }

    @Test
    void keeping_what_is_not_there_fails_without_a_revision() {
        assertThat(state.apply(
                        CommandType.PUT,
                        Requests.put("a", "").setIgnoreValue(true).build()))
                .isEqualTo(failed(ApiError.KEY_NOT_FOUND));
        assertThat(state.apply(
                        CommandType.PUT,
                        Requests.put("a", "v").setIgnoreLease(true).build()))
                .isEqualTo(failed(ApiError.KEY_NOT_FOUND));
        assertThat(state.store.publishedRevision()).isEqualTo(1);
    }

    @Test
    void an_unknown_lease_fails_the_put() {
        assertThat(state.apply(
                        CommandType.PUT, Requests.put("a", "v").setLease(7).build()))
                .isEqualTo(failed(ApiError.LEASE_NOT_FOUND));
    }

    @Test
    void previous_values_come_back_in_key_order() throws IOException {
        put("b", "2");
        put("a", "1");
        Result.Put replaced = (Result.Put) state.apply(
                CommandType.PUT, Requests.put("a", "9").setPrevKv(true).build());
        assertThat(KeyValue.parseFrom(replaced.previous()).getValue()).isEqualTo(b("1"));
        Result.Deleted deleted = (Result.Deleted) delete("a", "\0");
        assertThat(deleted.deleted()).isEqualTo(2);
        assertThat(KeyValue.parseFrom(deleted.previous().get(0)).getValue()).isEqualTo(b("9"));
        assertThat(KeyValue.parseFrom(deleted.previous().get(1)).getValue()).isEqualTo(b("2"));
    }

    @Test
    void compaction_has_its_bounds() {
        assertThat(compact(0)).isEqualTo(new Result.Compacted(1));
        put("a", "1");
        put("a", "2");
        assertThat(compact(4)).isEqualTo(failed(ApiError.FUTURE_REVISION));
        assertThat(compact(3)).isEqualTo(new Result.Compacted(3));
        assertThat(compact(3)).isEqualTo(failed(ApiError.COMPACTED));
        assertThat(compact(2)).isEqualTo(failed(ApiError.COMPACTED));
        assertThat(state.store.compactedRevision()).isEqualTo(3);
    }

    @Test
    void a_transaction_sees_a_compaction_of_the_same_batch() {
        put("a", "1");
        put("a", "2");
        state.applyWithoutCommit(
                CommandType.COMPACTION,
                CompactionRequest.newBuilder().setRevision(3).build());
        Result result = state.applyWithoutCommit(
                CommandType.TXN, txn(putOp("x"), op(range("a", "").setRevision(2))));
        state.commit();
        assertThat(result).isEqualTo(failed(ApiError.COMPACTED));
        assertThat(state.store.publishedRevision()).isEqualTo(3);
    }

    @Test
    void members_and_alarms_survive_a_restart() throws IOException {
        Member member = Member.newBuilder().setID(-5).setName("m").build();
        state.apply(CommandType.MEMBER_SET, member);
        alarm(AlarmRequest.AlarmAction.ACTIVATE);
        state.close();
        state = new AppliedStore(directory);
        assertThat(state.members.all()).containsExactly(member);
        assertThat(state.alarms.isRaised(AlarmType.NOSPACE)).isTrue();
        alarm(AlarmRequest.AlarmAction.DEACTIVATE);
        state.close();
        state = new AppliedStore(directory);
        assertThat(state.alarms.all()).isEmpty();
    }

    private List<dev.nightjar.api.etcdserverpb.AlarmMember> alarm(AlarmRequest.AlarmAction action) {
        Result result = state.apply(
                CommandType.ALARM,
                AlarmRequest.newBuilder()
                        .setAction(action)
                        .setMemberID(3)
                        .setAlarm(AlarmType.NOSPACE)
                        .build());
        return ((Result.Alarms) result).alarms();
    }

    @Test
    void a_space_alarm_stops_what_needs_space_and_nothing_else() {
        put("a", "1");
        assertThat(alarm(AlarmRequest.AlarmAction.GET)).isEmpty();
        assertThat(alarm(AlarmRequest.AlarmAction.ACTIVATE)).hasSize(1);
        assertThat(put("a", "2")).isEqualTo(failed(ApiError.NO_SPACE));
        assertThat(state.apply(CommandType.TXN, txn(putOp("a")))).isEqualTo(failed(ApiError.NO_SPACE));
        assertThat(state.apply(CommandType.TXN, txn(rangeOp("a", "")))).isInstanceOf(Result.Txn.class);
        assertThat(delete("a", "")).isInstanceOf(Result.Deleted.class);
        assertThat(compact(2)).isInstanceOf(Result.Compacted.class);
        assertThat(alarm(AlarmRequest.AlarmAction.DEACTIVATE)).hasSize(1);
        assertThat(alarm(AlarmRequest.AlarmAction.DEACTIVATE)).isEmpty();
        assertThat(put("a", "3")).isInstanceOf(Result.Put.class);
    }

    private Result alarm(AlarmRequest.AlarmAction action, int alarmNumber) {
        return state.apply(
                CommandType.ALARM,
                AlarmRequest.newBuilder()
                        .setAction(action)
                        .setMemberID(3)
                        .setAlarmValue(alarmNumber)
                        .build());
    }

    @Test
    void a_corruption_alarm_stops_every_change_of_keys_but_not_its_own_end() {
        put("a", "1");
        alarm(AlarmRequest.AlarmAction.ACTIVATE, AlarmType.CORRUPT_VALUE);
        assertThat(put("a", "2")).isEqualTo(failed(ApiError.CORRUPT));
        assertThat(delete("a", "")).isEqualTo(failed(ApiError.CORRUPT));
        assertThat(compact(2)).isEqualTo(failed(ApiError.CORRUPT));
        assertThat(state.apply(CommandType.TXN, txn(rangeOp("a", "")))).isEqualTo(failed(ApiError.CORRUPT));
        alarm(AlarmRequest.AlarmAction.DEACTIVATE, AlarmType.CORRUPT_VALUE);
        assertThat(put("a", "2")).isEqualTo(new Result.Put(3, null));
    }

    @Test
    void an_alarm_that_has_no_name_here_is_answered_and_not_kept() {
        for (AlarmRequest.AlarmAction action : List.of(
                AlarmRequest.AlarmAction.ACTIVATE, AlarmRequest.AlarmAction.DEACTIVATE, AlarmRequest.AlarmAction.GET)) {
            assertThat(alarm(action, 99)).isEqualTo(new Result.Alarms(1, List.of()));
        }
        assertThat(state.alarms.all()).isEmpty();
    }

    @Test
    void an_action_that_has_no_name_here_does_nothing() {
        assertThat(state.apply(
                        CommandType.ALARM,
                        AlarmRequest.newBuilder().setActionValue(99).build()))
                .isEqualTo(new Result.Alarms(1, List.of()));
    }

    @Test
    void a_transaction_reads_a_revision_that_an_earlier_command_of_its_batch_made() {
        state.applyWithoutCommit(CommandType.PUT, Requests.put("a", "1").build());
        state.applyWithoutCommit(CommandType.PUT, Requests.put("a", "2").build());
        Result result = state.applyWithoutCommit(
                CommandType.TXN,
                txn(
                        putOp("x"),
                        op(range("a", "").setRevision(2)),
                        op(range("a", "\0").setRevision(3))));
        state.commit();
        TxnResponse response = Answers.txn(result);
        assertThat(response.getResponses(1).getResponseRange().getKvs(0).getValue())
                .isEqualTo(b("1"));
        assertThat(response.getResponses(2).getResponseRange().getKvsList())
                .extracting(KeyValue::getValue)
                .containsExactly(b("2"));
        assertThat(response.getResponses(2).getResponseRange().getCount()).isEqualTo(1);
    }

    @Test
    void a_put_that_ends_a_group_it_has_not_begun_is_malformed() {
        byte[] body = {0x0a, 1, 'k', 0x7c};
        assertThatThrownBy(() -> PutCommand.parse(body)).isInstanceOf(InvalidProtocolBufferException.class);
        assertThatThrownBy(() -> PutRequest.parseFrom(body)).isInstanceOf(InvalidProtocolBufferException.class);
    }

    @Test
    void an_entry_of_another_format_stops_the_member() {
        assertThatThrownBy(() -> CommandCodec.takeEntryHeader(ByteBuffer.wrap(new byte[] {9, 0, 0, 0, 0})))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("format 9");
        assertThatThrownBy(() -> CommandType.of(99))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("type 99");
        ByteBuffer tooLong = ByteBuffer.allocate(8).putInt(100).flip();
        assertThatThrownBy(() -> CommandCodec.takeBody(tooLong))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("length 100");
    }
}
