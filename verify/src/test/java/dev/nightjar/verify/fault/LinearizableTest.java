/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.verify.check.Linearizability;
import dev.nightjar.verify.check.RegisterCall;
import dev.nightjar.verify.check.RevisionOrder;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.Seeds;
import dev.nightjar.verify.driver.ServerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Several clients on few keys, and kill -9 again and again: all that they were told fits one order of events, in which each
 * call happened at one moment between its begin and its end. Loses, repeats and stale reads do not fit.
 */
@OnEveryServer
class LinearizableTest {
    private static final int ROUNDS = 6;
    private static final int CLIENTS = 8;
    private static final int KEYS = 4;
    /** Calls of all clients before a kill. */
    private static final int MOST_CALLS = 600;

    @RegisterExtension
    final FreshServer fresh;

    private final long seed = Seeds.seed();
    private final RandomGenerator random = Seeds.generator(seed, -1);
    private final Map<String, List<RegisterCall>> calls = new TreeMap<>();
    private final List<RevisionOrder.Answer> answers = new ArrayList<>();

    LinearizableTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void all_answers_fit_one_order_of_events() throws Exception {
        try {
            for (int round = 0; round < ROUNDS; round++) {
                callAndKill(round);
                fresh.server().start();
            }
            readAll();
            assertThat(answers).hasSizeGreaterThan(ROUNDS * CLIENTS);
            assertThat(RevisionOrder.violations(answers)).isEmpty();
            calls.forEach((key, history) -> assertThat(Linearizability.holds(history))
                    .as("%d calls on %s: %s", history.size(), key, history)
                    .isTrue());
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(Seeds.replay(LinearizableTest.class, seed), e);
        }
    }

    private void callAndKill(int round) throws InterruptedException, ExecutionException {
        int wanted = CLIENTS + random.nextInt(MOST_CALLS);
        CountDownLatch left = new CountDownLatch(wanted);
        List<Future<RegisterClient>> running = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            for (int i = 0; i < CLIENTS; i++) {
                RandomGenerator own = Seeds.generator(seed, round * 100L + i);
                String name = "c%d.%d.".formatted(round, i);
                running.add(threads.submit(() -> callUntilKilled(own, name, left)));
            }
            assertThat(left.await(ApiClient.ANSWER_SECONDS, TimeUnit.SECONDS))
                    .as("%d calls", wanted)
                    .isTrue();
            fresh.server().kill();
            for (Future<RegisterClient> client : running) {
                take(client.get());
            }
        }
    }

    private RegisterClient callUntilKilled(RandomGenerator own, String name, CountDownLatch left) {
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            RegisterClient client = new RegisterClient(api, own, name, KEYS);
            while (client.step()) {
                left.countDown();
            }
            return client;
        }
    }

    /** What is there in the end must fit too. */
    private void readAll() {
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            RegisterClient client = new RegisterClient(api, random, "last", KEYS);
            for (int i = 0; i < KEYS * 20; i++) {
                assertThat(client.step()).isTrue();
            }
            take(client);
        }
    }

    private void take(RegisterClient client) {
        client.calls()
                .forEach((key, made) ->
                        calls.computeIfAbsent(key, _ -> new ArrayList<>()).addAll(made));
        answers.addAll(client.answers());
    }
}
