/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.core.apply.AnswerBudget;
import dev.nightjar.core.apply.Result;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.Executor;

/** Collects the results of applied writes by loop, so that each loop gets one task. Owned by the apply thread. */
final class Completions {

    private record Completion(PendingWrite write, Result result) {}

    private final AnswerBudget answers;
    private IdentityHashMap<Executor, List<Completion>> byLoop = new IdentityHashMap<>();

    /** @param answers what the results hold is given back to it once they are finished */
    Completions(AnswerBudget answers) {
        this.answers = answers;
    }

    void add(PendingWrite write, Result result) {
        byLoop.computeIfAbsent(write.loop(), loop -> new ArrayList<>()).add(new Completion(write, result));
    }

    /** Sends everything collected on its way. */
    void dispatch() {
        if (byLoop.isEmpty()) {
            return;
        }
        byLoop.forEach((loop, completions) -> loop.execute(() -> {
            for (Completion completion : completions) {
                completion.write.finish(completion.result);
                answers.release(completion.result.heldBytes());
            }
        }));
        byLoop = new IdentityHashMap<>();
    }
}
