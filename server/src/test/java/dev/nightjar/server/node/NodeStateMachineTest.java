/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.consensus.ConsensusStatus;
import dev.nightjar.consensus.Proposal;
import dev.nightjar.consensus.StateMachine;
import dev.nightjar.core.apply.AnswerBudget;
import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.apply.Applier;
import dev.nightjar.core.apply.CommandType;
import dev.nightjar.core.apply.Result;
import dev.nightjar.core.cluster.AlarmRegistry;
import dev.nightjar.core.cluster.MemberRegistry;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import dev.nightjar.core.watch.WatchLimits;
import dev.nightjar.core.watch.WatchObserver;
import dev.nightjar.core.watch.WatchableStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodeStateMachineTest {
    @TempDir
    Path directory;

    private final ManualLoop loop = new ManualLoop();
    private final HeldConsensus consensus = new HeldConsensus();
    private final List<ProposalBatcher> batchers = new ArrayList<>();
    private final Heard heard = new Heard();
    private final List<Result> outcomes = new ArrayList<>();
    private MvccStore store;
    private NodeStateMachine machine;

    @BeforeEach
    void open() throws IOException {
        open(directory);
    }

    private void open(Path root) throws IOException {
        store = MvccStore.open(SegmentLog.open(
                new SegmentLog.Options(FileSystem.real(), root, SegmentLog.SEGMENT_BYTES, 1, Runnable::run)));
        WatchableStore watches = new WatchableStore(store, WatchLimits.DEFAULT, WatchObserver.NONE);
        machine = new NodeStateMachine(
                store,
                new Applier(
                        store, watches, new MemberRegistry(store), new AlarmRegistry(store), new AnswerBudget(1 << 20)),
                heard,
                Runnable::run);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
    }

    /** What the node hears of. */
    private static final class Heard implements NodeStateMachine.Listener {
        final List<Long> applied = new ArrayList<>();

        @Override
        public void applied(long index, long bytes) {
            applied.add(index);
        }

        @Override
        public void leaderChanged(ConsensusStatus status) {}

        @Override
        public void failed(Throwable cause) {}
    }

    private record LogEntry(
            long index, ByteBuffer command, @Nullable Proposal proposal) {}

    /** What the log hands over in one call. */
    private static final class Committed implements StateMachine.Entries {
        private final Iterator<LogEntry> entries;
        private LogEntry current = new LogEntry(0, ByteBuffer.allocate(0), null);

        Committed(LogEntry... entries) {
            this.entries = List.of(entries).iterator();
        }

        @Override
        public boolean next() {
            if (!entries.hasNext()) {
                return false;
            }
            current = entries.next();
            return true;
        }

        @Override
        public long index() {
            return current.index;
        }

        @Override
        public long term() {
            return 1;
        }

        @Override
        public ByteBuffer command() {
            return current.command.duplicate();
        }

        @Override
        public @Nullable Proposal proposal() {
            return current.proposal;
        }
    }

    /** Through a batcher of its own, as one batcher lets one entry go at a time. */
    private void submit(byte[] body) {
        ProposalBatcher batcher = new ProposalBatcher(consensus, () -> 0, write -> false);
        batchers.add(batcher);
        batcher.submit(new PendingWrite(CommandType.PUT, body, loop) {
            @Override
            protected void complete(Result result) {
                outcomes.add(result);
            }
        });
        loop.run();
    }

    private static byte[] put(String key, int valueBytes) {
        return PutRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8(key))
                .setValue(ByteString.copyFrom(new byte[valueBytes]))
                .build()
                .toByteArray();
    }

    /** An entry of this member's own making. */
    private LogEntry proposed(long index, byte[] body) {
        submit(body);
        HeldConsensus.Held held = consensus.takeFirst();
        return new LogEntry(index, held.entry(), held.batch());
    }

    private LogEntry replayed(long index, byte[] body) {
        return new LogEntry(index, proposed(index, body).command, null);
    }

    @Test
    void results_go_to_their_writes_on_their_loop() {
        machine.apply(new Committed(proposed(5, put("a", 1))));
        assertThat(outcomes).isEmpty();
        loop.run();
        assertThat(outcomes).containsExactly(new Result.Put(2, null));
        assertThat(batchers).allMatch(batcher -> batcher.pending() == 0);
        assertThat(heard.applied).containsExactly(5L);
        assertThat(store.appliedIndex()).isEqualTo(5);
    }

    @Test
    void entries_that_the_store_has_already_are_not_applied_again() {
        LogEntry first = replayed(1, put("a", 1));
        LogEntry second = replayed(2, put("a", 1));
        machine.apply(new Committed(first, second));
        assertThat(store.publishedRevision()).isEqualTo(3);
        machine.apply(new Committed(first, second));
        assertThat(store.publishedRevision()).isEqualTo(3);
        machine.apply(new Committed(first, second, replayed(3, put("a", 1))));
        assertThat(store.publishedRevision()).isEqualTo(4);
        assertThat(heard.applied).containsExactly(2L, 3L);
    }

    @Test
    void many_entries_are_committed_in_pieces() {
        LogEntry large = replayed(1, put("a", 700_000));
        machine.apply(new Committed(large, new LogEntry(2, large.command, null), new LogEntry(3, large.command, null)));
        assertThat(heard.applied).containsExactly(2L, 3L);
        assertThat(store.publishedRevision()).isEqualTo(4);
    }

    @Test
    void small_entries_that_write_much_are_committed_in_pieces() {
        byte[] keep = PutRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8("a"))
                .setIgnoreValue(true)
                .build()
                .toByteArray();
        LogEntry[] entries = new LogEntry[5];
        entries[0] = replayed(1, put("a", 700_000));
        for (int i = 1; i < entries.length; i++) {
            entries[i] = replayed(1 + i, keep);
        }
        machine.apply(new Committed(entries));
        assertThat(heard.applied).containsExactly(2L, 4L, 5L);
        assertThat(store.publishedRevision()).isEqualTo(6);
    }

    @Test
    void when_an_entry_cannot_be_applied_nobody_waits_for_it_or_for_those_before_it_in_vain() {
        LogEntry good = proposed(1, put("a", 1));
        LogEntry bad = proposed(2, new byte[] {0x0a, 100});
        assertThatThrownBy(() -> machine.apply(new Committed(good, bad))).isInstanceOf(IllegalStateException.class);
        loop.run();
        assertThat(outcomes).containsExactly(new Result.Failed(ApiError.STOPPED), new Result.Failed(ApiError.STOPPED));
        assertThat(batchers).allMatch(batcher -> batcher.pending() == 0);
        assertThat(store.publishedRevision()).isEqualTo(1);
    }

    @Test
    void a_new_entry_that_the_store_takes_for_applied_ends_the_member_and_its_writer_is_told() {
        machine.apply(new Committed(replayed(5, put("a", 1))));
        LogEntry taken = proposed(3, put("b", 1));
        assertThatThrownBy(() -> machine.apply(new Committed(taken)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("entry 3 is new, though the store is at entry 5 already");
        loop.run();
        assertThat(outcomes).containsExactly(new Result.Failed(ApiError.STOPPED));
        assertThat(batchers.getLast().pending()).isZero();
    }

    private Path saveSnapshot() throws IOException {
        Path snapshot = Files.createDirectory(directory.resolve("snapshot"));
        assertThat(machine.saveSnapshot(snapshot)).isCompleted();
        return snapshot;
    }

    @Test
    void a_snapshot_that_the_store_is_behind_of_is_refused() throws IOException {
        machine.apply(new Committed(replayed(4, put("a", 1))));
        Path snapshot = saveSnapshot();
        store.close();
        open(Files.createDirectory(directory.resolve("other")));
        machine.apply(new Committed(replayed(3, put("a", 1))));
        assertThatThrownBy(() -> machine.loadSnapshot(snapshot, 4))
                .isInstanceOf(IOException.class)
                .hasMessage("the store ends at log index 3, but the snapshot in " + snapshot
                        + " at 4: files of the store are missing");
    }

    @Test
    void a_snapshot_that_ends_with_entries_of_the_engine_is_no_newer_than_the_store() throws IOException {
        machine.apply(new Committed(replayed(4, put("a", 1))));
        Path snapshot = saveSnapshot();
        machine.loadSnapshot(snapshot, 4);
        machine.loadSnapshot(snapshot, 6);
        assertThat(store.publishedRevision()).isEqualTo(2);
    }
}
