/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.verify.check.KeyRange;
import dev.nightjar.verify.check.Operation;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.Seeds;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/**
 * Writers with a thread each that put, delete and transact until they are stopped or the server leaves them without an
 * answer. No two puts have the same value.
 */
final class Load implements AutoCloseable {
    /** Prefixes of all keys; each has {@value #KEYS} keys. */
    static final List<String> PREFIXES = List.of("a/", "b/", "c/", "d/");

    private static final int KEYS = 12;

    private final Ledger ledger;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();
    private final List<ApiClient> clients = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();

    /** Starts {@code writers} writers; {@code round} and {@code seed} make what they do, and their values, unique. */
    Load(String endpoint, Ledger ledger, int writers, long seed, int round) {
        this.ledger = ledger;
        for (int i = 0; i < writers; i++) {
            ApiClient client = new ApiClient(endpoint);
            clients.add(client);
            Writer writer = new Writer(client, Seeds.generator(seed, round * 100L + i), "w%d.%d.".formatted(round, i));
            threads.add(Thread.ofPlatform().name("writer " + i).start(writer));
        }
    }

    /** Stops the writers and waits for their last answers; fails if one failed otherwise than for want of an answer. */
    @Override
    public void close() {
        stopped.set(true);
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for the writers", e);
        }
        clients.forEach(ApiClient::close);
        synchronized (failures) {
            if (!failures.isEmpty()) {
                throw new AssertionError("a writer failed", failures.getFirst());
            }
        }
    }

    private final class Writer implements Runnable {
        private final ApiClient client;
        private final RandomGenerator random;
        private final String name;
        private int puts;

        Writer(ApiClient client, RandomGenerator random, String name) {
            this.client = client;
            this.random = random;
            this.name = name;
        }

        @Override
        public void run() {
            try {
                while (!stopped.get()) {
                    List<Operation> operations = next();
                    if (!write(operations)) {
                        return;
                    }
                }
            } catch (Throwable e) {
                synchronized (failures) {
                    failures.add(e);
                }
            }
        }

        private List<Operation> next() {
            int kind = random.nextInt(100);
            if (kind < 70) {
                return List.of(put(key()));
            }
            if (kind < 82) {
                return List.of(Operation.delete(key()));
            }
            if (kind < 84) {
                ByteString prefix = ByteString.copyFromUtf8(PREFIXES.get(random.nextInt(PREFIXES.size())));
                return List.of(new Operation.Delete(new KeyRange(prefix, ApiClient.prefixEnd(prefix))));
            }
            // Keys of a transaction differ by their prefixes, since no key may be changed twice in one.
            List<Operation> transaction = new ArrayList<>();
            transaction.add(put(PREFIXES.get(0) + random.nextInt(KEYS)));
            for (int i = 1; i < PREFIXES.size(); i++) {
                String key = PREFIXES.get(i) + random.nextInt(KEYS);
                if (random.nextInt(3) > 0) {
                    transaction.add(random.nextInt(4) == 0 ? Operation.delete(key) : put(key));
                }
            }
            return transaction;
        }

        private String key() {
            return PREFIXES.get(random.nextInt(PREFIXES.size())) + random.nextInt(KEYS);
        }

        private Operation put(String key) {
            int padding = random.nextInt(50) == 0 ? random.nextInt(40_000) : random.nextInt(200);
            return Operation.put(key, name + puts++ + " " + "x".repeat(padding));
        }

        /** Returns false when no answer came: whether the write has happened is not known then. */
        private boolean write(List<Operation> operations) {
            try {
                long revision = send(operations);
                if (revision > 0) {
                    ledger.acknowledged(revision, operations);
                }
                return true;
            } catch (StatusRuntimeException e) {
                ledger.unanswered(operations);
                return switch (e.getStatus().getCode()) {
                    case UNAVAILABLE, CANCELLED, DEADLINE_EXCEEDED, INTERNAL, UNKNOWN -> false;
                    default -> throw new AssertionError("refused: " + operations, e);
                };
            }
        }

        /** Returns the revision that the write made, or 0 if there was nothing to change. */
        private long send(List<Operation> operations) {
            if (operations.size() > 1) {
                TxnRequest.Builder txn = TxnRequest.newBuilder();
                operations.forEach(operation -> txn.addSuccess(op(operation)));
                return client.kv().txn(txn.build()).getHeader().getRevision();
            }
            RequestOp only = op(operations.getFirst());
            if (only.hasRequestPut()) {
                return client.kv().put(only.getRequestPut()).getHeader().getRevision();
            }
            DeleteRangeResponse deleted = client.kv().deleteRange(only.getRequestDeleteRange());
            return deleted.getDeleted() == 0 ? 0 : deleted.getHeader().getRevision();
        }
    }

    private static RequestOp op(Operation operation) {
        return switch (operation) {
            case Operation.Put(ByteString key, ByteString value) ->
                RequestOp.newBuilder()
                        .setRequestPut(PutRequest.newBuilder().setKey(key).setValue(value))
                        .build();
            case Operation.Delete(KeyRange range) ->
                RequestOp.newBuilder()
                        .setRequestDeleteRange(DeleteRangeRequest.newBuilder()
                                .setKey(range.key())
                                .setRangeEnd(range.end()))
                        .build();
        };
    }
}
