/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import java.util.LinkedHashMap;

/**
 * The room for answers on one connection, and the calls that wait for some; owned by the connection's loop.
 *
 * <p>A client that calls and does not read would otherwise fill the memory: an answer is made whole before the flow
 * control looks at it. So no answer is begun before there is room for it. What a call takes goes through two states:
 *
 * <pre>
 * whenRoom(16 MB) -- room? --> making: 16 MB expected -- send --> queued: 30 MB real -- written --> none
 *                 \- no -----> waits, behind those that came first
 * </pre>
 *
 * <p>Calls with small answers wait only while more than {@link AnswerLimits#queuedBytes} are queued. Those whose answer
 * may be large get a part of that, {@link AnswerLimits#largeBytes}, so that they do not stop the small ones.
 */
final class AnswerRoom {

    private final ServerConnection connection;
    private final AnswerLimits limits;
    private final LinkedHashMap<GrpcCall, Runnable> small = new LinkedHashMap<>();
    private final LinkedHashMap<GrpcCall, Large> large = new LinkedHashMap<>();
    private final Runnable wakeTask = this::wake;
    private long queuedBytes;
    private long makingBytes;
    private boolean waking;

    private record Large(long expectedBytes, Runnable make) {}

    AnswerRoom(ServerConnection connection, AnswerLimits limits) {
        this.connection = connection;
        this.limits = limits;
    }

    /** Whether too much waits for the client for another call to begin. */
    boolean isOverfull() {
        return queuedBytes > limits.queuedBytes();
    }

    /** Bytes were queued. */
    void queued(int bytes) {
        queuedBytes += bytes;
    }

    /** Queued bytes have left, or were dropped. */
    void left(int bytes) {
        boolean overfull = isOverfull();
        queuedBytes -= bytes;
        if (overfull && !isOverfull()) {
            connection.blocked().askAllLater();
        }
        wakeLater();
    }

    /** What a call had set aside is free. */
    void made(long expectedBytes) {
        makingBytes -= expectedBytes;
        wakeLater();
    }

    /**
     * Goes on with a call now, or later when there is room; false if too many wait.
     *
     * @param expectedBytes what is set aside for a large answer until the call sends it; zero for a small one
     */
    boolean ask(GrpcCall call, long expectedBytes, Runnable make) {
        if (expectedBytes == 0) {
            if (small.isEmpty() && !isOverfull()) {
                make.run();
                return true;
            }
            return small.size() < limits.waitingCalls() && small.put(call, make) == null;
        }
        if (large.isEmpty() && fits(expectedBytes)) {
            begin(call, new Large(expectedBytes, make));
            return true;
        }
        return large.size() < limits.waitingCalls() && large.put(call, new Large(expectedBytes, make)) == null;
    }

    /** A call has ended, which may have waited. */
    void forget(GrpcCall call) {
        if (!small.isEmpty()) {
            small.remove(call);
        }
        if (!large.isEmpty() && large.remove(call) != null) {
            wakeLater(); // those behind it may fit
        }
    }

    /** However large an answer is expected to be, it may begin when little is queued and none is being made. */
    private boolean fits(long expectedBytes) {
        return queuedBytes + makingBytes + expectedBytes <= limits.largeBytes()
                || (makingBytes == 0 && queuedBytes <= limits.largeBytes() / 2);
    }

    private void begin(GrpcCall call, Large next) {
        makingBytes += next.expectedBytes();
        call.making(next.expectedBytes());
        next.make().run();
    }

    private void wakeLater() {
        if (!waking && !(small.isEmpty() && large.isEmpty())) {
            waking = true;
            connection.afterOtherWork(wakeTask);
        }
    }

    /** In a task of its own, as room comes free inside of writes. */
    private void wake() {
        waking = false;
        while (!small.isEmpty() && !isOverfull()) {
            var next = small.pollFirstEntry();
            next.getKey().proceed(next.getValue());
        }
        while (!large.isEmpty() && fits(large.firstEntry().getValue().expectedBytes())) {
            var next = large.pollFirstEntry();
            next.getKey().proceed(() -> begin(next.getKey(), next.getValue()));
        }
    }
}
