/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.verify.check.StreamLog;
import dev.nightjar.verify.check.WatchLog;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.WatchCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A client with some watches on one stream, in a thread of its own: it reads fast or slowly, cancels watches and goes on
 * where they stopped, asks for progress, and comes back after the stream is lost. Everything that it is told is kept.
 */
final class WatchClient implements Runnable {
    private static final Duration POLL = Duration.ofMillis(50);

    /** Longest time that it may take to be told the last revision, once nothing happens any more. */
    private static final Duration DRAIN_LIMIT = Duration.ofMinutes(3);

    /** One interest, carried from watch to watch. */
    private static final class Subscription {
        private final WatchCreateRequest template;
        private long next;
        private @Nullable WatchLog log;
        private long id = -1;
        private boolean canceling;

        Subscription(WatchCreateRequest template) {
            this.template = template;
        }

        WatchCreateRequest request() {
            return template.toBuilder().setStartRevision(next).build();
        }
    }

    private final String endpoint;
    private final RandomGenerator random;
    private final List<Subscription> subscriptions = new ArrayList<>();
    private final List<StreamLog> streams = new ArrayList<>();
    /** Guarded by this. */
    private boolean serverUp = true;
    /** The revision that every watch has to reach before the client is done; 0 while that is not known. */
    private final AtomicLong lastRevision = new AtomicLong();
    /** The highest revision that all watches of this client know; moves while it runs. */
    private final AtomicLong knownRevision = new AtomicLong();

    private final AtomicBoolean abandoned = new AtomicBoolean();
    private boolean patient;
    private boolean asking;

    WatchClient(String endpoint, RandomGenerator random, List<WatchCreateRequest> watches) {
        this.endpoint = endpoint;
        this.random = random;
        watches.forEach(watch -> subscriptions.add(new Subscription(watch)));
    }

    /** Never slow and never cancelling: its single watch is the witness of what happened. */
    WatchClient patient() {
        patient = true;
        return this;
    }

    /** Asks for progress now and then, and all the time in the end; otherwise its watches must be told without asking. */
    WatchClient asking() {
        asking = true;
        return this;
    }

    synchronized void serverUp(boolean up) {
        serverUp = up;
        notifyAll();
    }

    /** Tells the client which revision is the last; it ends when all its watches know it. */
    void finish(long revision) {
        lastRevision.set(revision);
    }

    /** Ends the client without any more reading. */
    synchronized void abandon() {
        abandoned.set(true);
        notifyAll();
    }

    long knownRevision() {
        return knownRevision.get();
    }

    /** Everything that the client was told, a log for each stream; to be read after its thread has ended. */
    List<StreamLog> streams() {
        return List.copyOf(streams);
    }

    @Override
    public void run() {
        while (!isDone()) {
            awaitServerUp();
            try (ApiClient api = new ApiClient(endpoint)) {
                oneStream(api);
            }
        }
    }

    /** Returns when the server is up or this client is to end without it. */
    private synchronized void awaitServerUp() {
        try {
            while (!serverUp && !abandoned.get()) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for the server", e);
        }
    }

    private boolean isDone() {
        long last = lastRevision.get();
        return abandoned.get() || (last > 0 && subscriptions.stream().allMatch(s -> s.next > last));
    }

    private void oneStream(ApiClient api) {
        boolean slow = !patient && random.nextInt(2) == 0;
        StreamLog stream = new StreamLog();
        streams.add(stream);
        try (WatchCall call = slow ? WatchCall.openUnread(api) : WatchCall.open(api)) {
            subscriptions.forEach(subscription -> create(call, stream, subscription));
            Reader reader = new Reader(call, stream, slow);
            while (!isDone() && !call.hasEnded() && reader.step()) {
                knownRevision.set(
                        subscriptions.stream().mapToLong(s -> s.next - 1).min().orElse(0));
            }
        }
        subscriptions.forEach(WatchClient::forget);
    }

    private static void create(WatchCall call, StreamLog stream, Subscription subscription) {
        WatchCreateRequest request = subscription.request();
        subscription.log = null;
        subscription.id = -1;
        subscription.canceling = false;
        stream.asked(request);
        call.create(request.toBuilder());
    }

    private static void forget(Subscription subscription) {
        subscription.log = null;
        subscription.id = -1;
    }

    /** Reads one stream, step by step. */
    private final class Reader {
        private final WatchCall call;
        private final StreamLog stream;
        private boolean slow;
        private long finishingSince = System.nanoTime();

        Reader(WatchCall call, StreamLog stream, boolean slow) {
            this.call = call;
            this.stream = stream;
            this.slow = slow;
        }

        /** Returns false when the client drops the stream of its own accord. */
        boolean step() {
            boolean finishing = lastRevision.get() > 0;
            if (slow && (finishing || random.nextInt(20) == 0)) {
                call.read(finishing ? Integer.MAX_VALUE : 1 + random.nextInt(30));
                slow = !finishing;
            }
            if (asking && (finishing || random.nextInt(10) == 0)) {
                call.requestProgress();
            }
            if (!patient && !finishing) {
                int whim = random.nextInt(400);
                if (whim == 0) {
                    return false;
                }
                if (whim < 4) {
                    cancelOne();
                }
            }
            Optional<WatchResponse> response = call.poll(finishing || !slow ? POLL : POLL.dividedBy(10));
            response.ifPresent(this::accept);
            checkTime(finishing);
            return true;
        }

        private void checkTime(boolean finishing) {
            if (!finishing) {
                finishingSince = System.nanoTime();
            } else if (System.nanoTime() - finishingSince > DRAIN_LIMIT.toNanos()) {
                throw new AssertionError("not told all within " + DRAIN_LIMIT + ", but up to "
                        + subscriptions.stream().map(s -> s.next - 1).toList() + " of " + lastRevision.get());
            }
        }

        private void cancelOne() {
            Subscription chosen = subscriptions.get(random.nextInt(subscriptions.size()));
            if (chosen.id >= 0 && !chosen.canceling) {
                chosen.canceling = true;
                stream.cancelAsked(chosen.id);
                call.cancel(chosen.id);
            }
        }

        private void accept(WatchResponse response) {
            stream.accept(response);
            if (response.getCreated()) {
                if (response.getCanceled()) {
                    throw new AssertionError("refused: " + response);
                }
                Subscription created = subscriptions.stream()
                        .filter(subscription -> subscription.id < 0)
                        .findFirst()
                        .orElseThrow();
                created.id = response.getWatchId();
                created.log = stream.watch(response.getWatchId()).orElseThrow();
            }
            for (Subscription subscription : subscriptions) {
                WatchLog log = subscription.log;
                if (log != null) {
                    subscription.next = log.lastKnownRevision() + 1;
                    if (log.isCanceled()) {
                        if (response.getCompactRevision() != 0) {
                            stream.cancelAsked(subscription.id);
                            call.cancel(subscription.id);
                        }
                        subscription.next = Math.max(subscription.next, response.getCompactRevision());
                        create(call, stream, subscription);
                    }
                }
            }
        }
    }
}
