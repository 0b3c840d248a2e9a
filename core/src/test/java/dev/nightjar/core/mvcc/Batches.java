/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Random commands that can be given to a store and to a model, and given again after a crash. */
final class Batches {

    /** One change; no value means a delete of the range. */
    private record Op(byte[] key, byte[] end, byte @Nullable [] value, long lease) {}

    private record RowOp(int type, byte[] id, byte @Nullable [] body) {}

    /** What one commit holds; compacts to a revision if that is not 0. */
    private record Batch(List<List<Op>> transactions, List<RowOp> rows, long compactTo) {}

    /** What a store has to answer. */
    static final class State {
        final Model model = new Model();
        final TreeMap<String, String> rows = new TreeMap<>();
    }

    private static final byte[] ONE = {};

    private final Random random;
    private final List<Batch> batches = new ArrayList<>();

    Batches(Random random) {
        this.random = random;
    }

    int size() {
        return batches.size();
    }

    /** Forgets the batches behind the first ones. */
    void cut(int size) {
        batches.subList(size, batches.size()).clear();
    }

    /** What the first batches lead to. */
    State state(int size) {
        State state = new State();
        batches.subList(0, size).forEach(batch -> apply(state, batch));
        return state;
    }

    /** Makes up a batch that fits behind a state, and enters it there. */
    void next(State state) {
        List<List<Op>> transactions = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            transactions.add(transaction());
        }
        List<RowOp> rows = new ArrayList<>();
        if (random.nextInt(5) == 0) {
            byte[] body = random.nextBoolean() ? null : new byte[random.nextInt(2000)];
            rows.add(new RowOp(random.nextInt(3), bytes("row" + random.nextInt(6)), body));
        }
        Model model = state.model;
        long compactTo = 0;
        if (random.nextInt(12) == 0 && model.compacted < model.revision) {
            compactTo = model.compacted + 1 + random.nextInt((int) (model.revision - model.compacted));
        }
        Batch batch = new Batch(transactions, rows, Math.max(compactTo, 0));
        batches.add(batch);
        apply(state, batch);
    }

    private List<Op> transaction() {
        List<Op> ops = new ArrayList<>();
        int first = random.nextInt(30);
        for (int i = random.nextInt(4); i >= 0; i--) {
            byte[] value = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(200)];
            random.nextBytes(value);
            long lease = random.nextInt(4) == 0 ? 1 + random.nextInt(5) : 0;
            ops.add(new Op(key(first + i), ONE, value, lease));
        }
        if (random.nextInt(4) == 0) {
            // Perhaps of keys that the same transaction has just put: the last change of a revision counts.
            int from = random.nextInt(35);
            ops.add(new Op(key(from), random.nextBoolean() ? ONE : key(from + 4), null, 0));
        }
        return ops;
    }

    private static byte[] key(int number) {
        return bytes(number == 7 ? "k07" + "x".repeat(1500) : "k%02d".formatted(number));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static void apply(State state, Batch batch) {
        Model model = state.model;
        for (List<Op> transaction : batch.transactions) {
            int events = model.events.size();
            for (Op op : transaction) {
                if (op.value == null) {
                    model.delete(op.key, op.end);
                } else {
                    model.put(op.key, op.value, op.lease);
                }
            }
            model.revision += model.events.size() > events ? 1 : 0;
        }
        for (RowOp row : batch.rows) {
            String name = row.type + "/" + new String(row.id, UTF_8);
            if (row.body == null) {
                state.rows.remove(name);
            } else {
                state.rows.put(name, "" + row.body.length);
            }
        }
        if (batch.compactTo > 0) {
            model.compacted = batch.compactTo;
        }
    }

    /** Gives a store the batch of an index, which becomes the applied index. */
    void apply(MvccStore store, int index) {
        Batch batch = batches.get(index - 1);
        for (List<Op> transaction : batch.transactions) {
            WriteTxn txn = store.begin();
            for (Op op : transaction) {
                if (op.value == null) {
                    txn.delete(op.key, op.end);
                } else {
                    txn.put(op.key, ByteBuffer.wrap(op.value), op.lease);
                }
            }
            txn.end();
        }
        for (RowOp row : batch.rows) {
            if (row.body == null) {
                store.removeRow(row.type, row.id);
            } else {
                store.putRow(row.type, row.id, row.body);
            }
        }
        if (batch.compactTo > 0) {
            store.compact(batch.compactTo);
        }
        store.commit(index, 1);
        store.publish();
    }
}
