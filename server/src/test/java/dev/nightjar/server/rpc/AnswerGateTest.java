/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.apply.ApiError;
import io.grpc.Status;
import io.netty.channel.DefaultEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class AnswerGateTest {
    private final DefaultEventLoop loop = new DefaultEventLoop();
    private final FakeCall fake = new FakeCall(loop);
    private final AnswerGate gate = new AnswerGate(100);
    private final List<String> gone = new ArrayList<>();
    private final List<UnaryCall> entered = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    }

    private UnaryCall call() {
        return new UnaryCall(fake, (unary, request) -> {});
    }

    private UnaryCall ask(String name, long bytes) throws Exception {
        UnaryCall call = call();
        loop.submit(() -> gate.whenFree(call, bytes, () -> {
                    gone.add(name);
                    entered.add(call);
                }))
                .get();
        return call;
    }

    private void leave() throws Exception {
        UnaryCall first = entered.removeFirst();
        loop.submit(first::release).get();
        loop.submit(() -> {}).get();
    }

    @Test
    void callsGoOnWhileThereIsRoomAndWaitInTheirOrderForMore() throws Exception {
        ask("a", 60);
        ask("b", 40);
        ask("c", 60);
        ask("d", 1);
        assertThat(gone).containsExactly("a", "b");
        leave();
        assertThat(gone).containsExactly("a", "b", "c");
        leave();
        assertThat(gone).containsExactly("a", "b", "c", "d");
    }

    @Test
    void littleNeedsNoRoom() throws Exception {
        ask("a", 100);
        ask("b", 0);
        assertThat(gone).containsExactly("a", "b");
    }

    @Test
    void oneThatIsLargerThanAllRoomGoesAlone() throws Exception {
        ask("huge", 1000);
        ask("small", 1);
        assertThat(gone).containsExactly("huge");
        leave();
        assertThat(gone).containsExactly("huge", "small");
        ask("huge again", 1000);
        assertThat(gone).hasSize(2);
        leave();
        assertThat(gone).hasSize(3);
    }

    @Test
    void aCallThatEndsWhileItWaitsGivesItsTurnToTheNext() throws Exception {
        ask("a", 100);
        UnaryCall ended = ask("b", 100);
        ask("c", 100);
        loop.submit(() -> ended.onCancel(Status.CANCELLED)).get();
        leave();
        loop.submit(() -> {}).get();
        assertThat(gone).containsExactly("a", "c");
    }

    @Test
    void withoutDirectMemoryACallGoesOnOnceThereIsSome() throws Exception {
        ask("a", 10);
        fake.hasMemory = false;
        ask("b", 10);
        assertThat(gone).containsExactly("a");
        fake.hasMemory = true;
        while (loop.submit(() -> gone.size() == 1).get()) {
            Thread.onSpinWait();
        }
        assertThat(gone).containsExactly("a", "b");
    }

    @Test
    void moreThanCanWaitAreRefused() throws Exception {
        ask("a", 100);
        for (int i = 0; i < AnswerGate.MAX_WAITING; i++) {
            assertThat(gate.enter(fake, 1, () -> {})).isTrue();
        }
        assertThat(fake.ended).isNull();
        ask("late", 1);
        assertThat(fake.status()).isEqualTo(Errors.status(ApiError.TOO_MANY_REQUESTS));
    }
}
