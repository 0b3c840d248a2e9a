/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A state machine whose state is the list of all commands. The apply thread changes it; tests wait on it. */
public class RecordingStateMachine implements StateMachine {
    private final List<String> commands = new ArrayList<>();
    private final List<ConsensusStatus> changes = new ArrayList<>();
    private long appliedIndex;
    private int snapshotsLoaded;
    private @Nullable Throwable failure;
    private final Runnable listener;

    public RecordingStateMachine() {
        this(() -> {});
    }

    /** @param listener is told of everything that a test may wait for, on the thread where it happens */
    public RecordingStateMachine(Runnable listener) {
        this.listener = listener;
    }

    /** A command and what became of it. */
    public static final class Ticket implements Proposal {
        private final CompletableFuture<Long> applied = new CompletableFuture<>();

        /** Completes with the index, or with a {@link ConsensusException}. */
        public CompletableFuture<Long> applied() {
            return applied;
        }

        @Override
        public void failed(ProposalFailure failure) {
            if (!applied.completeExceptionally(new ConsensusException(failure, "proposal failed"))) {
                throw new IllegalStateException("proposal ended twice");
            }
        }
    }

    /** Proposes a command. */
    public static Ticket propose(Consensus consensus, String command) {
        Ticket ticket = new Ticket();
        consensus.propose(ByteBuffer.wrap(command.getBytes(StandardCharsets.UTF_8)), ticket);
        return ticket;
    }

    @Override
    public void apply(Entries entries) {
        synchronized (this) {
            while (entries.next()) {
                String command =
                        StandardCharsets.UTF_8.decode(entries.command()).toString();
                if (entries.index() > appliedIndex) {
                    commands.add(command);
                    appliedIndex = entries.index();
                }
                if (entries.proposal() instanceof Ticket ticket && !ticket.applied.complete(entries.index())) {
                    throw new IllegalStateException("proposal ended twice");
                }
            }
            changed();
        }
    }

    @Override
    public synchronized CompletableFuture<Void> saveSnapshot(Path directory) throws IOException {
        Path nested = Files.createDirectories(directory.resolve("nested"));
        Files.write(nested.resolve("commands"), commands);
        Files.writeString(directory.resolve("index"), Long.toString(appliedIndex));
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public synchronized void loadSnapshot(Path directory, long lastIncludedIndex) throws IOException {
        snapshotsLoaded++;
        if (appliedIndex >= lastIncludedIndex) {
            return;
        }
        commands.clear();
        commands.addAll(Files.readAllLines(directory.resolve("nested").resolve("commands")));
        appliedIndex = Long.parseLong(Files.readString(directory.resolve("index")));
        changed();
    }

    @Override
    public synchronized void leaderChanged(ConsensusStatus status) {
        changes.add(status);
        changed();
    }

    @Override
    public synchronized void failed(Throwable cause) {
        failure = cause;
        changed();
    }

    private synchronized void changed() {
        notifyAll();
        listener.run();
    }

    public synchronized List<String> commands() {
        return List.copyOf(commands);
    }

    public synchronized List<ConsensusStatus> changes() {
        return List.copyOf(changes);
    }

    public synchronized int snapshotsLoaded() {
        return snapshotsLoaded;
    }

    public synchronized @Nullable Throwable failure() {
        return failure;
    }

    public void awaitLeading() throws InterruptedException {
        await(() -> changes, all -> !all.isEmpty() && all.getLast().leading());
    }

    public void awaitCommands(int count) throws InterruptedException {
        await(() -> commands, all -> all.size() >= count);
    }

    public void awaitFailure() throws InterruptedException {
        await(() -> this, machine -> machine.failure != null);
    }

    /** Waits until something holds; the test's own time limit ends a wait in vain. */
    public synchronized <T> void await(Supplier<T> what, Predicate<T> condition) throws InterruptedException {
        while (!condition.test(what.get())) {
            wait(1000);
        }
    }
}
