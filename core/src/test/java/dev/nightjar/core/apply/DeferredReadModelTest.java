/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import static dev.nightjar.core.apply.Requests.b;
import static dev.nightjar.core.apply.Requests.nested;
import static dev.nightjar.core.apply.Requests.op;
import static dev.nightjar.core.apply.Requests.put;
import static dev.nightjar.core.apply.Requests.range;
import static dev.nightjar.core.apply.Requests.txn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest.SortOrder;
import dev.nightjar.api.etcdserverpb.RangeRequest.SortTarget;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random transactions on two stores: one copies what is read at once, the other reads everything later. Same answers. */
final class DeferredReadModelTest {
    private static final int TRANSACTIONS = 2_000;
    private static final int KEYS = 8;

    @TempDir
    Path atOnce;

    @TempDir
    Path later;

    private final long seed = Long.getLong("nightjar.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void what_is_read_later_is_what_was_there() throws IOException {
        try (AppliedStore copying = new AppliedStore(atOnce);
                AppliedStore deferring = new AppliedStore(later, EntryGrowth.LIMIT, new AnswerBudget(0))) {
            int deferred = 0;
            for (int i = 0; i < TRANSACTIONS; i++) {
                TxnRequest request =
                        TxnRequest.newBuilder().addAllSuccess(ops(3)).build();
                if (RequestChecks.check(request, 100) != null) {
                    continue;
                }
                Result expected = copying.apply(CommandType.TXN, request);
                Result result = deferring.apply(CommandType.TXN, request);
                copying.answers.release(expected.heldBytes());
                if (expected instanceof Result.Failed) {
                    assertThat(result).isEqualTo(expected);
                    continue;
                }
                assertThat(expected).isInstanceOf(Result.Txn.class);
                deferred += result instanceof Result.Deferred ? 1 : 0;
                String between = key();
                copying.apply(CommandType.PUT, put(between, "between").build());
                deferring.apply(CommandType.PUT, put(between, "between").build());
                assertThat(Answers.txn(result))
                        .as("%s then put %s", request, between)
                        .isEqualTo(Answers.txn(expected));
            }
            assertThat(deferred).isGreaterThan(TRANSACTIONS / 10);
        } catch (AssertionError e) {
            throw new AssertionError("replay with -Dnightjar.seed=" + seed, e);
        }
    }

    private List<RequestOp> ops(int depth) {
        List<RequestOp> ops = new ArrayList<>();
        for (int i = random.nextInt(1, 6); i > 0; i--) {
            ops.add(random(depth));
        }
        return ops;
    }

    private RequestOp random(int depth) {
        return switch (random.nextInt(depth > 0 ? 6 : 5)) {
            case 0 -> op(put(key(), "v" + random.nextInt()).setPrevKv(random.nextBoolean()));
            case 1 ->
                RequestOp.newBuilder()
                        .setRequestDeleteRange(DeleteRangeRequest.newBuilder()
                                .setKey(b(key()))
                                .setRangeEnd(b(end()))
                                .setPrevKv(random.nextBoolean()))
                        .build();
            case 5 -> nested(txn(ops(depth - 1), List.of()));
            default ->
                op(range(key(), end())
                        .setLimit(random.nextInt(4))
                        .setKeysOnly(random.nextInt(4) == 0)
                        .setCountOnly(random.nextInt(8) == 0)
                        .setMinCreateRevision(random.nextInt(4) == 0 ? random.nextInt(50) : 0)
                        .setSortOrder(SortOrder.forNumber(random.nextInt(3)))
                        .setSortTarget(SortTarget.forNumber(random.nextInt(5))));
        };
    }

    private String key() {
        return "k" + random.nextInt(KEYS);
    }

    private String end() {
        return switch (random.nextInt(4)) {
            case 0 -> "";
            case 1 -> "\0";
            default -> key();
        };
    }
}
