/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.ctl.client.Connection;
import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;
import dev.nightjar.ctl.client.RpcErrors;
import dev.nightjar.ctl.print.KeyPrinter;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs watchers on one stream and prints what comes; owned by the thread that runs the command.
 *
 * <p>When the stream breaks, another is opened and each watcher goes on at the revision after the last that it has seen:
 *
 * <pre>
 *   create at 0  -> created, header 7      next = 8
 *   events 9, 12                           next = 13
 *   stream breaks; create at 13 on the next stream: nothing is lost and nothing comes twice
 * </pre>
 */
final class WatchRunner {

    /** One response, one end of a stream and a few lines of input: others wait until they are dealt with. */
    static final int SIGNAL_LIMIT = 4;

    /** Longer than a server takes that is there; the user may wonder by then. */
    private static final long ANSWER_MILLIS = 3_000;

    private static final long FIRST_RETRY_MILLIS = 100;
    private static final long LAST_RETRY_MILLIS = 3_000;
    private static final WatchResponse CANCELED =
            WatchResponse.newBuilder().setCanceled(true).build();
    private static final String NO_LEADER = "etcdserver: no leader";
    private static final String COMPACTED = "etcdserver: mvcc: required revision has been compacted";

    private final Connection connection;
    private final KeyPrinter printer;
    private final Console console;
    private final BlockingQueue<WatchSignal> signals = new ArrayBlockingQueue<>(SIGNAL_LIMIT);
    private final Deque<Watcher> unanswered = new ArrayDeque<>();
    private final Map<Long, Watcher> running = new HashMap<>();
    private boolean interactive;
    private @Nullable WatchStream stream;
    private int streams;
    /** Whether something has come on the present stream. */
    private boolean answered;

    private long retryMillis = FIRST_RETRY_MILLIS;

    WatchRunner(Connection connection, KeyPrinter printer, Console console) {
        this.connection = connection;
        this.printer = printer;
        this.console = console;
    }

    /** Starts a thread that reads what the user asks for. */
    void readRequests(InputLines lines) {
        interactive = true;
        Thread.ofVirtual().name("watch-input").start(() -> {
            try {
                for (String line = lines.next(); line != null; line = lines.next()) {
                    signal(new WatchSignal.Line(line));
                }
                signal(new WatchSignal.InputFailed(
                        new CtlException(ExitCode.INVALID_INPUT, "error reading watch request line: EOF")));
            } catch (CtlException e) {
                signal(new WatchSignal.InputFailed(e));
            }
        });
    }

    /**
     * Watches until nothing is left to watch.
     *
     * @throws CtlException always: how it ended
     */
    void run(List<WatchTarget> targets) {
        unanswered.addAll(targets.stream().map(Watcher::new).toList());
        try {
            if (!unanswered.isEmpty()) {
                openStream();
            }
            while (true) {
                handle(signals.take());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CtlException(ExitCode.INTERRUPTED, "interrupted", e);
        } finally {
            if (stream != null) {
                stream.cancel();
            }
        }
    }

    private void handle(WatchSignal signal) {
        switch (signal) {
            case WatchSignal.Received(int number, WatchResponse response) -> {
                WatchStream current = stream;
                if (current != null && current.number() == number) {
                    retryMillis = FIRST_RETRY_MILLIS;
                    answered = true;
                    received(response);
                    current.next();
                }
            }
            case WatchSignal.Ended(int number, Status status) -> {
                if (stream != null && stream.number() == number) {
                    streamEnded(status);
                }
            }
            case WatchSignal.AnswerDue(int number) -> {
                if (number == streams && !answered) {
                    error("no server has answered yet; the watch begins when one does");
                }
            }
            case WatchSignal.RetryDue(int number) -> {
                if (number == streams) {
                    openStream();
                }
            }
            case WatchSignal.Line(String text) -> line(text.strip());
            case WatchSignal.InputFailed(CtlException failure) -> throw failure;
        }
    }

    private void line(String text) {
        List<String> words = Words.split(text);
        String name = words.isEmpty() ? "" : words.getFirst();
        switch (name) {
            case "watch" -> {
                WatchCommand command =
                        Lines.parse(new WatchCommand(), words.subList(1, words.size()), ExitCode.BAD_ARGUMENTS);
                Watcher watcher = new Watcher(command.target(console.environment()));
                unanswered.add(watcher);
                if (stream == null) {
                    openStream();
                } else {
                    stream.create(watcher.request());
                }
            }
            case "progress" -> {
                if (stream != null) {
                    stream.askProgress();
                }
            }
            default -> error("Invalid command: " + text + " (watch and progress supported)");
        }
    }

    private void received(WatchResponse response) {
        Watcher watcher = response.getCreated() ? unanswered.poll() : running.get(response.getWatchId());
        if (response.getCanceled()) {
            running.remove(response.getWatchId());
            canceled(response);
        } else if (response.getCreated()) {
            if (watcher != null) {
                watcher.started(response.getHeader().getRevision());
                running.put(response.getWatchId(), watcher);
            }
        } else if (response.getEventsCount() == 0) {
            progress(response);
        } else if (watcher != null) {
            printer.watch(response);
            watcher.seen(
                    response.getEvents(response.getEventsCount() - 1).getKv().getModRevision());
            new EventProgram(watcher.target.program(), console).runFor(response);
        }
    }

    private void progress(WatchResponse response) {
        long revision = response.getHeader().getRevision();
        console.out().print("progress notify: " + revision + "\n");
        printer.watch(response);
        console.out().flush();
        Watcher watcher = running.get(response.getWatchId());
        if (watcher != null) {
            watcher.seen(revision);
        } else {
            running.values().forEach(each -> each.seen(revision));
        }
    }

    private void canceled(WatchResponse response) {
        printer.watch(response.getCreated() ? CANCELED : response);
        String reason = response.getCompactRevision() != 0 ? COMPACTED : response.getCancelReason();
        ended(reason);
    }

    private void ended(String reason) {
        error("watch was canceled (" + reason + ")");
        if (!interactive && running.isEmpty() && unanswered.isEmpty()) {
            throw new CtlException(ExitCode.INTERRUPTED, "watch is canceled by the server");
        }
    }

    private void streamEnded(Status status) {
        List<Watcher> watchers = new ArrayList<>(running.values());
        watchers.addAll(unanswered);
        running.clear();
        unanswered.clear();
        stream = null;
        if (canRetry(status)) {
            unanswered.addAll(watchers);
            retryLater();
        } else {
            printer.watch(CANCELED);
            ended(RpcErrors.text(status));
        }
    }

    private void retryLater() {
        signalLater(new WatchSignal.RetryDue(streams), retryMillis);
        retryMillis = Math.min(retryMillis * 2, LAST_RETRY_MILLIS);
    }

    private void openStream() {
        if (stream != null) {
            return;
        }
        streams++;
        answered = false;
        signalLater(new WatchSignal.AnswerDue(streams), ANSWER_MILLIS);
        WatchStream opened = WatchStream.open(streams, connection.watch(), signals);
        stream = opened;
        unanswered.forEach(watcher -> opened.create(watcher.request()));
    }

    private static boolean canRetry(Status status) {
        return switch (status.getCode()) {
            case UNAVAILABLE -> !NO_LEADER.equals(status.getDescription());
            // A server that is stopped may cancel its streams; this side never does and then waits for more.
            case INTERNAL, CANCELLED -> true;
            default -> false;
        };
    }

    private void error(String text) {
        console.err().print(text + "\n");
        console.err().flush();
    }

    private void signalLater(WatchSignal signal, long millis) {
        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS).execute(() -> signal(signal));
    }

    /** Hands a signal from another thread to that of the watch, and waits while there is no room. */
    private void signal(WatchSignal signal) {
        try {
            signals.put(signal);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One interest of the user, which may live on several streams one after the other. */
    private static final class Watcher {

        private final WatchTarget target;
        private long nextRevision;

        Watcher(WatchTarget target) {
            this.target = target;
            this.nextRevision = target.request().getStartRevision();
        }

        /** What to ask of the next stream. */
        WatchCreateRequest request() {
            return target.request().toBuilder().setStartRevision(nextRevision).build();
        }

        void started(long storeRevision) {
            if (nextRevision == 0) {
                nextRevision = storeRevision + 1;
            }
        }

        void seen(long revision) {
            nextRevision = Math.max(nextRevision, revision + 1);
        }
    }
}
