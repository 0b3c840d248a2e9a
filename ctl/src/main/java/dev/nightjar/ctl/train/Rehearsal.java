/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.train;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.Compare;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.KVGrpc;
import dev.nightjar.api.etcdserverpb.KVGrpc.KVBlockingStub;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Puts a server through what it will do most: many clients that write, read and compare at once, and one key with many
 * watchers. Every step has its end in operations and in time, whichever comes first. All other calls come once.
 */
public final class Rehearsal {
    private static final int CLIENTS = 32;
    private static final int CHANNELS = 4;
    private static final int OPERATIONS = 2000; // of each client and step: enough for the JVM to settle on its code
    private static final int KEYS = 10_000;
    private static final int WATCHERS = 400;
    private static final int WATCHED_PUTS = 2500;
    private static final long STEP_SECONDS = 4;
    private static final ByteString WATCHED = ByteString.copyFromUtf8("rehearsal/watched");
    private static final ByteString VALUE = ByteString.copyFrom("v".repeat(256), StandardCharsets.US_ASCII);

    private final List<ManagedChannel> channels = new ArrayList<>();

    private Rehearsal(String address) {
        for (int i = 0; i < CHANNELS; i++) {
            channels.add(NettyChannelBuilder.forTarget(address).usePlaintext().build());
        }
    }

    /**
     * Runs all steps.
     *
     * @param arguments the server's {@code host:port}; behind it perhaps {@code fill}, for nothing but writes
     * @throws Exception the first failure of a call, or that the watchers did not get everything in time
     */
    public static void main(String[] arguments) throws Exception {
        Rehearsal rehearsal = new Rehearsal(arguments[0]);
        try {
            rehearsal.clients(Rehearsal::put);
            if (arguments.length == 1) {
                rehearsal.clients(Rehearsal::get);
                rehearsal.clients(Rehearsal::compareAndPut);
                rehearsal.clients(Rehearsal::list);
                rehearsal.watched();
                new EveryCall(rehearsal.channels.getFirst()).run();
            }
        } finally {
            rehearsal.channels.forEach(ManagedChannel::shutdownNow);
        }
    }

    private interface Step {
        void run(KVBlockingStub server, int number);
    }

    private void clients(Step step) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(STEP_SECONDS);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                int first = client * OPERATIONS;
                KVBlockingStub server = KVGrpc.newBlockingStub(channels.get(client % CHANNELS));
                running.add(threads.submit(() -> {
                    for (int i = 0; i < OPERATIONS && System.nanoTime() < end; i++) {
                        step.run(server, first + i);
                    }
                }));
            }
            for (Future<?> client : running) {
                client.get();
            }
        }
    }

    private static ByteString key(int number) {
        // Neighbours in time are no neighbours in the index.
        return ByteString.copyFromUtf8("rehearsal/key/" + (number * 7919L) % KEYS);
    }

    private static void put(KVBlockingStub server, int number) {
        server.put(PutRequest.newBuilder().setKey(key(number)).setValue(VALUE).build());
    }

    private static void get(KVBlockingStub server, int number) {
        server.range(RangeRequest.newBuilder()
                .setKey(key(number))
                .setSerializable(number % 2 == 0)
                .build());
    }

    private static void compareAndPut(KVBlockingStub server, int number) {
        ByteString key = key(number);
        server.txn(TxnRequest.newBuilder()
                .addCompare(Compare.newBuilder()
                        .setKey(key)
                        .setTarget(Compare.CompareTarget.VERSION)
                        .setResult(Compare.CompareResult.GREATER)
                        .setVersion(0))
                .addSuccess(RequestOp.newBuilder()
                        .setRequestPut(PutRequest.newBuilder().setKey(key).setValue(VALUE)))
                .addFailure(RequestOp.newBuilder()
                        .setRequestRange(RangeRequest.newBuilder().setKey(key)))
                .build());
    }

    private static void list(KVBlockingStub server, int number) {
        if (number % 20 == 0) {
            list(server, "rehearsal/key/", "rehearsal/key0", 100);
        } else if (number % 20 == 10) {
            list(server, "rehearsal/key/1", "rehearsal/key/19", 0); // a thousand keys
        }
    }

    private static void list(KVBlockingStub server, String from, String end, int limit) {
        server.range(RangeRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8(from))
                .setRangeEnd(ByteString.copyFromUtf8(end))
                .setLimit(limit)
                .build());
    }

    /** One writer, and watchers that see all that it does. */
    private void watched() throws TimeoutException, InterruptedException {
        WatchedKey watchers = new WatchedKey(channels, WATCHED, WATCHERS);
        KVBlockingStub server = KVGrpc.newBlockingStub(channels.getFirst());
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2 * STEP_SECONDS);
        int puts = 0;
        while (puts < WATCHED_PUTS && System.nanoTime() < end) {
            server.put(PutRequest.newBuilder().setKey(WATCHED).setValue(VALUE).build());
            puts++;
        }
        server.deleteRange(DeleteRangeRequest.newBuilder().setKey(WATCHED).build());
        watchers.awaitEvents((puts + 1) * (long) WATCHERS, STEP_SECONDS);
    }
}
