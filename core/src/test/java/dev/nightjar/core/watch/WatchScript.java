/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.mvcc.Change;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Runs a script against one shard and compares with what the script says its streams receive. Lines that begin with
 * {@code >} are commands, the others what comes of them. All queues run dry after each command unless {@code hold}.
 *
 * <pre>
 *   > put KEY VALUE              > STREAM create KEY [to=END] [start=N] [id=N] [noput] [nodelete] [prev] [progress]
 *   > del KEY                    > STREAM cancel ID
 *   > txn put K V, del K, ...    > STREAM progress
 *   > delrange FROM TO           > STREAM room N        takes N more responses with events; "room all"
 *   > compact N [drop]           > STREAM close
 *   > omit N                     N - current puts to the key "many" that were too many to be listed
 *   > wait MILLIS                > hold / > run         queue tasks / run them
 * </pre>
 */
final class WatchScript {
    private final MemoryStore store = new MemoryStore();
    private final TaskQueue loop = new TaskQueue();
    private final TaskQueue reader = new TaskQueue();
    private final ManualTimer timer = new ManualTimer(loop);
    private final Counters counters = new Counters();
    private final OvertakenHistory history;
    private final WatchableStore watchable;
    private final WatchShard shard;
    private final WatcherQuota quota;
    private final Map<String, WatchStream> streams = new HashMap<>();
    private final Map<String, Transcript> sinks = new HashMap<>();
    private final List<String> output = new ArrayList<>();
    private boolean held;

    WatchScript() {
        this(WatchLimits.DEFAULT, WatchLimits.DEFAULT.historyBytes());
    }

    WatchScript(WatchLimits limits, long historyBytes) {
        history = new OvertakenHistory(historyBytes, store.publishedRevision());
        watchable = new WatchableStore(store, limits, counters, history);
        shard = watchable.openShard(new WatchEnvironment(loop, reader, timer, timer::now, new Random(1)));
        quota = new WatcherQuota(limits.stream().watchersPerConnection());
    }

    /** Compares the script with what really happens. */
    void check(String script) {
        for (String line : script.lines().toList()) {
            if (line.startsWith(">")) {
                output.add(line);
                execute(line.substring(1).strip());
                runUnlessHeld();
            }
        }
        assertThat(String.join("\n", output) + "\n").isEqualTo(script);
        output.clear();
        sinks.forEach((name, sink) -> {
            if (!stream(name).isClosed()) {
                assertThat(sink.unflushed()).as("unflushed of " + name).isZero();
            }
        });
    }

    MemoryStore store() {
        return store;
    }

    Counters counters() {
        return counters;
    }

    WatchShard shard() {
        return shard;
    }

    OvertakenHistory history() {
        return history;
    }

    WatchableStore watchable() {
        return watchable;
    }

    TaskQueue loop() {
        return loop;
    }

    TaskQueue reader() {
        return reader;
    }

    ManualTimer timer() {
        return timer;
    }

    Transcript sink(String name) {
        stream(name);
        return Objects.requireNonNull(sinks.get(name));
    }

    WatchStream stream(String name) {
        return streams.computeIfAbsent(name, missing -> {
            Transcript sink = new Transcript(name, output::add);
            sinks.put(name, sink);
            return shard.openStream(sink, quota);
        });
    }

    /** Writes transactions without running anything; the values are the revisions. */
    void puts(int count, UnaryOperator<String> key) {
        for (int i = 0; i < count; i++) {
            String revision = Long.toString(store.publishedRevision() + 1);
            write(List.of(new MemoryStore.Op(key.apply(revision), revision)));
        }
    }

    /** Forgets what was written so far and returns it. */
    List<String> takeOutput() {
        List<String> taken = List.copyOf(output);
        output.clear();
        return taken;
    }

    void run() {
        boolean ran = true;
        for (int tasks = 0; ran; tasks++) {
            ran = loop.runOne() || reader.runOne();
            assertThat(tasks).as("tasks without an end").isLessThan(1_000_000);
        }
    }

    private void runUnlessHeld() {
        if (!held) {
            run();
        }
    }

    private void execute(String command) {
        String[] words = command.split(" ", -1);
        switch (words[0]) {
            case "put" -> write(List.of(new MemoryStore.Op(words[1], words.length > 2 ? words[2] : "")));
            case "del" -> write(List.of(new MemoryStore.Op(words[1], null)));
            case "delrange" ->
                write(store.keys(words[1], words[2]).stream()
                        .map(key -> new MemoryStore.Op(key, null))
                        .toList());
            case "txn" ->
                write(Arrays.stream(command.substring(4).split(", ", -1))
                        .map(WatchScript::operation)
                        .toList());
            case "compact" -> compact(Long.parseLong(words[1]), words.length > 2);
            case "omit" -> omit(Long.parseLong(words[1]));
            case "wait" -> elapse(Long.parseLong(words[1]));
            case "hold" -> held = true;
            case "run" -> held = false;
            default -> streamCommand(words[0], Arrays.copyOfRange(words, 1, words.length));
        }
    }

    private static MemoryStore.Op operation(String text) {
        String[] words = text.split(" ", -1);
        return words[0].equals("put") ? new MemoryStore.Op(words[1], words[2]) : new MemoryStore.Op(words[1], null);
    }

    private void write(List<MemoryStore.Op> ops) {
        var changes = store.write(ops);
        if (!changes.isEmpty()) {
            watchable.append(changes);
            store.publish();
            watchable.wake();
        }
    }

    private void compact(long revision, boolean drop) {
        watchable.compacting(revision);
        runUnlessHeld();
        store.compact(revision);
        if (drop) {
            store.dropCompacted();
        }
    }

    private void omit(long revision) {
        watchable.append(List.of(Change.omission(revision)));
        while (store.publishedRevision() < revision) {
            String value = Long.toString(store.publishedRevision() + 1);
            store.write(List.of(new MemoryStore.Op("many", value)));
            store.publish();
        }
        watchable.wake();
    }

    private void elapse(long millis) {
        long left = TimeUnit.MILLISECONDS.toNanos(millis);
        while (left > 0) {
            left = timer.advance(left);
            run();
        }
    }

    private void streamCommand(String name, String[] words) {
        WatchStream stream = stream(name);
        switch (words[0]) {
            case "create" -> stream.create(request(words));
            case "refuse" -> stream.refuse(words[1]);
            case "cancel" -> stream.cancel(Long.parseLong(words[1]));
            case "progress" -> stream.requestProgress();
            case "close" -> {
                stream.close();
                streams.remove(name);
                sinks.remove(name);
            }
            case "room" -> {
                int room = words[1].equals("all") ? Transcript.UNLIMITED : Integer.parseInt(words[1]);
                if (sink(name).room(room)) {
                    stream.writable();
                }
            }
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    private static WatchCreate request(String[] words) {
        List<String> options = List.of(words).subList(2, words.length);
        String end = option(options, "to=");
        String start = option(options, "start=");
        String id = option(options, "id=");
        return new WatchCreate(
                MemoryStore.bytes(words[1].equals("-") ? "" : words[1]).toByteArray(),
                MemoryStore.bytes(end == null ? "" : end).toByteArray(),
                start == null ? 0 : Long.parseLong(start),
                id == null ? 0 : Long.parseLong(id),
                new WatchCreate.Options(
                        options.contains("progress"),
                        options.contains("noput"),
                        options.contains("nodelete"),
                        options.contains("prev"),
                        options.contains("fragment")));
    }

    private static @Nullable String option(List<String> options, String prefix) {
        return options.stream()
                .filter(option -> option.startsWith(prefix))
                .map(option -> option.substring(prefix.length()))
                .findFirst()
                .orElse(null);
    }
}
