/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.Compare;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.verify.check.RegisterCall;
import dev.nightjar.verify.check.RegisterCall.Action;
import dev.nightjar.verify.check.RevisionOrder;
import dev.nightjar.verify.driver.ApiClient;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One client that reads, writes and swaps the values of a few keys and notes what it was told. Owned by its thread. */
final class RegisterClient {
    private final ApiClient api;
    private final RandomGenerator random;
    private final String name;
    private final int keys;
    private final Map<String, List<RegisterCall>> calls = new HashMap<>();
    private final List<RevisionOrder.Answer> answers = new ArrayList<>();
    /** What this client saw last, by key: a good guess for a swap. */
    private final Map<String, @Nullable String> seen = new HashMap<>();

    private int values;

    /** @param name makes the values of this client unlike those of all others */
    RegisterClient(ApiClient api, RandomGenerator random, String name, int keys) {
        this.api = api;
        this.random = random;
        this.name = name;
        this.keys = keys;
    }

    /** The calls made so far, by key. */
    Map<String, List<RegisterCall>> calls() {
        return calls;
    }

    List<RevisionOrder.Answer> answers() {
        return answers;
    }

    /** Makes one call; returns false when no answer came. */
    boolean step() {
        String key = "k" + random.nextInt(keys);
        int kind = random.nextInt(100);
        if (kind < 30) {
            return read(key);
        }
        if (kind < 40) {
            return readInTransaction(key);
        }
        if (kind < 65) {
            return put(key, name + values++);
        }
        return kind < 75 ? delete(key) : swap(key, seen.get(key), name + values++);
    }

    private boolean read(String key) {
        long begin = System.nanoTime();
        try {
            RangeResponse response = api.kv().range(range(key));
            haveRead(key, begin, value(response), response.getHeader().getRevision());
            return true;
        } catch (StatusRuntimeException e) {
            return unanswered(e);
        }
    }

    /** A transaction that only reads takes another way through a server than a range. */
    private boolean readInTransaction(String key) {
        long begin = System.nanoTime();
        try {
            TxnRequest request =
                    TxnRequest.newBuilder().addSuccess(rangeOp(key)).build();
            TxnResponse response = api.kv().txn(request);
            @Nullable String value = value(response.getResponses(0).getResponseRange());
            haveRead(key, begin, value, response.getHeader().getRevision());
            return true;
        } catch (StatusRuntimeException e) {
            return unanswered(e);
        }
    }

    private void haveRead(String key, long begin, @Nullable String value, long revision) {
        answered(key, begin, new Action.Read(value), false, revision);
        seen.put(key, value);
    }

    private boolean put(String key, String value) {
        Action action = new Action.Write(value);
        long begin = System.nanoTime();
        try {
            long revision = api.put(key, value);
            answered(key, begin, action, true, revision);
            seen.put(key, value);
            return true;
        } catch (StatusRuntimeException e) {
            return unanswered(key, begin, action, e);
        }
    }

    private boolean delete(String key) {
        Action action = new Action.Write(null);
        long begin = System.nanoTime();
        try {
            DeleteRangeRequest request =
                    DeleteRangeRequest.newBuilder().setKey(bytes(key)).build();
            DeleteRangeResponse response = api.kv().deleteRange(request);
            boolean deleted = response.getDeleted() > 0;
            // Deleting nothing is a read of nothing.
            Action told = deleted ? action : new Action.Read(null);
            answered(key, begin, told, deleted, response.getHeader().getRevision());
            seen.put(key, null);
            return true;
        } catch (StatusRuntimeException e) {
            return unanswered(key, begin, action, e);
        }
    }

    private boolean swap(String key, @Nullable String expected, String value) {
        Action action = new Action.Swap(expected, value);
        Compare.Builder compare = Compare.newBuilder().setKey(bytes(key)).setResult(Compare.CompareResult.EQUAL);
        if (expected == null) {
            compare.setTarget(Compare.CompareTarget.CREATE).setCreateRevision(0);
        } else {
            compare.setTarget(Compare.CompareTarget.VALUE).setValue(bytes(expected));
        }
        PutRequest put = PutRequest.newBuilder()
                .setKey(bytes(key))
                .setValue(bytes(value))
                .build();
        TxnRequest request = TxnRequest.newBuilder()
                .addCompare(compare)
                .addSuccess(RequestOp.newBuilder().setRequestPut(put))
                .addFailure(rangeOp(key))
                .build();
        long begin = System.nanoTime();
        try {
            TxnResponse response = api.kv().txn(request);
            boolean swapped = response.getSucceeded();
            String now = swapped ? value : value(response.getResponses(0).getResponseRange());
            Action told = swapped ? action : new Action.FailedSwap(expected, now);
            answered(key, begin, told, swapped, response.getHeader().getRevision());
            seen.put(key, now);
            return true;
        } catch (StatusRuntimeException e) {
            return unanswered(key, begin, action, e);
        }
    }

    private void answered(String key, long begin, Action action, boolean writes, long revision) {
        long end = System.nanoTime();
        note(key, new RegisterCall(begin, end, action));
        answers.add(new RevisionOrder.Answer(begin, end, writes, revision));
    }

    private boolean unanswered(String key, long begin, Action action, StatusRuntimeException e) {
        note(key, RegisterCall.unanswered(begin, action));
        return unanswered(e);
    }

    private static boolean unanswered(StatusRuntimeException e) {
        return switch (e.getStatus().getCode()) {
            case UNAVAILABLE, CANCELLED, DEADLINE_EXCEEDED, INTERNAL, UNKNOWN -> false;
            default -> throw new AssertionError("refused", e);
        };
    }

    private void note(String key, RegisterCall call) {
        calls.computeIfAbsent(key, _ -> new ArrayList<>()).add(call);
    }

    private static @Nullable String value(RangeResponse response) {
        return response.getKvsCount() == 0
                ? null
                : response.getKvs(0).getValue().toStringUtf8();
    }

    private static RequestOp rangeOp(String key) {
        return RequestOp.newBuilder().setRequestRange(range(key)).build();
    }

    private static RangeRequest range(String key) {
        return RangeRequest.newBuilder().setKey(bytes(key)).build();
    }

    private static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }
}
