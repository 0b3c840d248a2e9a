/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Holds the revisions in the headers of answers against real time: who asks after an answer with revision N was there reads
 * at N or later, and writes later. Not thread safe.
 */
public final class RevisionOrder {
    /** An answered call; {@code writes} if it made {@code revision}. */
    public record Answer(long beginNanos, long endNanos, boolean writes, long revision) {}

    private RevisionOrder() {}

    /** What contradicts the order, empty if nothing does. */
    public static List<String> violations(List<Answer> answers) {
        List<Answer> byBegin = answers.stream()
                .sorted(Comparator.comparingLong(Answer::beginNanos))
                .toList();
        List<Answer> byEnd = answers.stream()
                .sorted(Comparator.comparingLong(Answer::endNanos))
                .toList();
        List<String> violations = new ArrayList<>();
        long known = 0;
        int ended = 0;
        for (Answer answer : byBegin) {
            while (ended < byEnd.size() && byEnd.get(ended).endNanos() < answer.beginNanos()) {
                known = Math.max(known, byEnd.get(ended).revision());
                ended++;
            }
            if (answer.revision() < known || (answer.writes() && answer.revision() == known)) {
                violations.add("%s came after revision %d was answered".formatted(answer, known));
            }
        }
        return violations;
    }
}
