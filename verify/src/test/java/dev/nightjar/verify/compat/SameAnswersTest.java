/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.Seeds;
import dev.nightjar.verify.driver.ServerKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Random requests to Nightjar and to a real etcd, one after the other: each answer must be the same, field by field. */
@Tag("go")
class SameAnswersTest {
    private static final int REQUESTS = 3000;
    /** Requests before the one that was answered differently, to be told with it. */
    private static final int TOLD = 40;

    @RegisterExtension
    final FreshServer nightjar = new FreshServer(ServerKind.NIGHTJAR);

    @RegisterExtension
    final FreshServer etcd = new FreshServer(ServerKind.ETCD);

    private final long seed = Seeds.seed();
    private final List<String> asked = new ArrayList<>();
    private final Map<String, Integer> outcomes = new HashMap<>();

    @Test
    void random_requests_get_the_answers_of_etcd() {
        RandomRequests requests = new RandomRequests(Seeds.generator(seed, 0));
        ScriptClient here = new ScriptClient(nightjar.api());
        ScriptClient there = new ScriptClient(etcd.api());
        for (int i = 0; i < REQUESTS; i++) {
            String request = requests.next();
            List<String> expected = there.answer(request);
            List<String> got = here.answer(request);
            asked.add(request);
            asked.addAll(expected);
            if (!got.equals(expected)) {
                throw new AssertionError("%s%n%s%nbut Nightjar said%n%s"
                        .formatted(Seeds.replay(SameAnswersTest.class, seed), told(), String.join("\n", got)));
            }
            note(requests, request, expected.getFirst());
        }
        // The requests are of no use if most of them fail, or if nothing ever does.
        assertThat(outcomes.get("answered")).isGreaterThan(REQUESTS / 2);
        assertThat(outcomes).hasSizeGreaterThan(6);
        assertThat(nightjar.api().revision()).isGreaterThan(REQUESTS / 5L);
    }

    private void note(RandomRequests requests, String request, String first) {
        if (first.startsWith("= @")) {
            requests.at(Long.parseLong(first.substring(3)));
            outcomes.merge("answered", 1, Integer::sum);
        } else {
            assertThat(first).as(request).startsWith("!");
            outcomes.merge(first, 1, Integer::sum);
        }
    }

    private String told() {
        return String.join("\n", asked.subList(Math.max(0, asked.size() - TOLD), asked.size()));
    }
}
