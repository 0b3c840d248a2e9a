/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.MessageLite;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.core.mvcc.LongRead;
import dev.nightjar.core.mvcc.MemoryBudget;
import dev.nightjar.core.mvcc.ReadTooLargeException;
import dev.nightjar.core.mvcc.ReadView;
import java.util.List;

/**
 * An answer with more key-values than are copied where a command is carried out: a message without them, what is to be read
 * for it, and a view that keeps that readable. One thread at a time; to be closed, or measured, which hands the view on.
 */
public final class LongAnswer implements AutoCloseable {
    private final ReadView view;
    private final MessageLite skeleton;
    private final List<DeferredRead> reads;

    /**
     * @param view at the lowest revision that is read; taken over
     * @param skeleton the answer without its outer header and without what is read
     * @param reads in the order of operations; one alone unless the answer is that of a transaction
     */
    LongAnswer(ReadView view, MessageLite skeleton, List<DeferredRead> reads) {
        this.view = view;
        this.skeleton = skeleton;
        this.reads = reads;
    }

    /**
     * Finds out how long the answer is, after which it can be copied; all that follows the outer header. When its revision
     * has been published.
     *
     * @param budget for sorting
     * @throws ReadTooLargeException if that has no room; then it may be tried again
     */
    public LongRead measure(MemoryBudget budget) {
        AnswerLayout layout = new AnswerLayout(view, reads, budget);
        return skeleton instanceof TxnResponse txn ? layout.txn(txn) : layout.single(skeleton);
    }

    /** The answer is not wanted any more. */
    @Override
    public void close() {
        view.close();
    }
}
