/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.api.etcdserverpb.Member;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.watch.WatchLimits;
import dev.nightjar.wire.EventLoops;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class NodeTest {
    private static final MemberId SELF = new MemberId(5);

    @TempDir
    Path directory;

    private final EventLoops loops = EventLoops.create(1);

    @AfterEach
    void closeLoops() {
        loops.close();
    }

    private Node start(long quotaBytes) throws Exception {
        return start(quotaBytes, 10_000);
    }

    private Node start(long quotaBytes, long snapshotCount) throws Exception {
        return start(quotaBytes, snapshotCount, loops.all());
    }

    private Node start(long quotaBytes, long snapshotCount, List<EventLoop> own) throws Exception {
        Node node = Node.start(
                new NodeSettings(
                        directory.resolve("data"),
                        new Identity(3, SELF),
                        Member.newBuilder().setName("m").build(),
                        List.of(SELF),
                        new NodeSettings.Timing(Duration.ofMillis(100), Duration.ofMillis(1000)),
                        quotaBytes,
                        snapshotCount,
                        WatchLimits.DEFAULT,
                        false,
                        NodeSettings.Compaction.DEFAULT),
                own,
                NodeObservers.NONE);
        node.publishSelf().get();
        return node;
    }

    @Test
    void a_member_is_known_to_all_once_it_has_published_itself() throws Exception {
        try (Node node = start(1 << 30)) {
            assertThat(node.leaderKnown()).isTrue();
            assertThat(node.leaderChanges()).isEqualTo(1);
            assertThat(node.members().all())
                    .containsExactly(
                            Member.newBuilder().setName("m").setID(SELF.value()).build());
        }
    }

    @Test
    void a_member_that_is_restarted_before_a_snapshot_is_due_takes_it_nevertheless() throws Exception {
        long snapshotCount = 6;
        long applied = 0;
        while (applied < snapshotCount) {
            try (Node node = start(1 << 30, snapshotCount)) {
                long before = applied;
                applied = node.status().appliedIndex();
                assertThat(applied - before).isLessThan(snapshotCount);
            }
        }
        try (Node node = start(1 << 30, snapshotCount)) {
            while (node.status().snapshotIndex() == 0) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void a_log_that_was_lost_is_not_replaced_by_an_empty_one() throws Exception {
        start(1 << 30).close();
        Path wal = directory.resolve("data").resolve("wal");
        Files.delete(wal.resolve("first"));
        assertThatThrownBy(() -> start(1 << 30))
                .isInstanceOf(UnusableFilesException.class)
                .hasMessageContaining("the file is missing, but there are segments");
        try (Stream<Path> files = Files.list(wal)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        assertThatThrownBy(() -> start(1 << 30))
                .isInstanceOf(UnusableFilesException.class)
                .hasMessageContaining("is missing, though the store holds");
    }

    /** What the files of a directory hold, by name. */
    private static Map<String, byte[]> contents(Path top) throws IOException {
        Map<String, byte[]> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(top)) {
            for (Path file : files.toList()) {
                contents.put(file.toFile().getName(), Files.readAllBytes(file));
            }
        }
        return contents;
    }

    private static void replace(Path top, Map<String, byte[]> contents) throws IOException {
        for (String name : contents(top).keySet()) {
            Files.delete(top.resolve(name));
        }
        for (Map.Entry<String, byte[]> file : contents.entrySet()) {
            Files.write(top.resolve(file.getKey()), file.getValue());
        }
    }

    @Test
    void a_log_that_ends_before_the_store_is_refused_and_left_as_it_was() throws Exception {
        start(1 << 30).close();
        Path data = directory.resolve("data");
        Path wal = data.resolve("wal");
        Map<String, byte[]> older = contents(wal);
        long applied;
        try (Node node = start(1 << 30)) {
            applied = node.store().appliedIndex();
        }
        Map<String, byte[]> newer = contents(wal);
        Map<String, byte[]> vote = contents(data.resolve("snap"));

        replace(wal, older);
        assertThatThrownBy(() -> start(1 << 30))
                .isInstanceOf(UnusableFilesException.class)
                .hasMessageMatching("cannot open the log: the log in " + Pattern.quote(wal.toString())
                        + " ends, with its snapshots, at entry \\d+, though the store in "
                        + Pattern.quote(data.resolve("store").toString()) + " holds what its entry " + applied
                        + " wrote");
        assertThat(contents(wal)).usingRecursiveComparison().isEqualTo(older);
        assertThat(contents(data.resolve("snap"))).usingRecursiveComparison().isEqualTo(vote);

        replace(wal, newer);
        start(1 << 30).close();
    }

    @Test
    void a_store_of_another_member_is_refused() throws Exception {
        start(1 << 30).close();
        Path format = directory.resolve("data").resolve("format");
        String ours = Files.readString(format);
        Files.writeString(format, ours.replaceFirst("member .*", "member 0000000000000006"));
        assertThatThrownBy(() -> start(1 << 30))
                .isInstanceOf(UnusableFilesException.class)
                .hasMessage("cannot open the store: that in "
                        + directory.resolve("data").resolve("store") + " is not of this member, " + new MemberId(6)
                        + ": its members are [" + SELF + "]");
        Files.writeString(format, ours);
        start(1 << 30).close();
    }

    /** Loops of which one cannot be had. */
    private static final class BrokenLoops extends AbstractList<EventLoop> {
        @Override
        public EventLoop get(int index) {
            throw new AssertionError("no such loop, on purpose");
        }

        @Override
        public int size() {
            return 1;
        }
    }

    private static List<String> ownThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.startsWith("nightjar-") && !name.startsWith("nightjar-loop"))
                .toList();
    }

    @Test
    void a_start_that_fails_once_the_log_runs_leaves_nothing_behind() throws Exception {
        assertThatThrownBy(() -> start(1 << 30, 10_000, new BrokenLoops()))
                .isInstanceOf(AssertionError.class)
                .hasMessage("no such loop, on purpose");
        // A thread has left its pool a moment before it ends.
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!ownThreads().isEmpty()) {
            assertThat(System.nanoTime())
                    .as("threads that stay: %s", ownThreads())
                    .isLessThan(end);
            Thread.onSpinWait();
        }
        try (Node node = start(1 << 30)) {
            assertThat(node.leaderKnown()).isTrue();
        }
    }

    @Test
    void a_reader_is_told_why_its_barrier_failed() throws Exception {
        Node node = start(1 << 30);
        node.close();
        List<@Nullable ApiError> errors = new ArrayList<>();
        node.afterReadBarrier(Runnable::run, errors::add);
        assertThat(errors).containsExactly(ApiError.STOPPED);
    }

    @Test
    void a_full_store_refuses_and_raises_the_alarm() throws Exception {
        try (Node node = start(1)) {
            assertThat(node.refusesForSpace(0)).isFalse();
            assertThat(node.refusesForSpace(1)).isTrue();
            while (node.alarms().all().isEmpty()) {
                Thread.onSpinWait();
            }
            assertThat(node.alarms().all().iterator().next().getMemberID()).isEqualTo(SELF.value());
        }
    }
}
