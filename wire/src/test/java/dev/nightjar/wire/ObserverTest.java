/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a server's metrics are made of. */
class ObserverTest {

    private static final class Recorder implements WireObserver {
        final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();

        @Override
        public void callStarted(String fullMethod) {
            events.add("started " + fullMethod);
        }

        @Override
        public void callEnded(String fullMethod, Status.Code code, long nanos) {
            events.add("ended " + fullMethod + " " + code + (nanos > 0 ? "" : " in no time"));
        }

        @Override
        public void messageReceived(String fullMethod, int bytes) {
            events.add("received " + bytes);
        }

        @Override
        public void messagesSent(String fullMethod, int messages, int bytes) {
            events.add("sent " + messages + " " + bytes);
        }

        @Override
        public void connections(int delta) {
            events.add("connections " + delta);
        }

        String next() throws InterruptedException {
            return String.valueOf(events.poll(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void every_event_is_counted_once_and_in_order() throws Exception {
        var recorder = new Recorder();
        try (var port = TestPort.open(builder -> builder.observer(recorder).raw("test.Echo/Twice", (call, headers) -> {
            call.send(call.buffer(20).writeBytes(Bytes.framed(new byte[3])).writeBytes(Bytes.framed(new byte[4])));
            return new EchoHandlers().collect(call, headers);
        }))) {
            var client = port.raw().greet();
            assertThat(recorder.next()).isEqualTo("connections 1");
            client.call(1, "/test.Echo/Twice", new byte[10]);
            assertThat(client.answer(1).status()).isEqualTo("0");
            assertThat(recorder.next()).isEqualTo("started test.Echo/Twice");
            assertThat(recorder.next()).isEqualTo("sent 2 7");
            assertThat(recorder.next()).isEqualTo("received 10");
            assertThat(recorder.next()).isEqualTo("sent 1 4");
            assertThat(recorder.next()).isEqualTo("ended test.Echo/Twice OK");

            client.call(3, "/test.Echo/Nothing", new byte[1]);
            assertThat(client.answer(3).status()).isEqualTo("12");
            client.headers(5, H2Client.grpc("/test.Echo/Hang"), false).reset(5);
            assertThat(recorder.next()).isEqualTo("started test.Echo/Hang");
            assertThat(recorder.next()).isEqualTo("ended test.Echo/Hang CANCELLED");
            client.close();
            assertThat(recorder.next()).isEqualTo("connections -1");
        }
    }
}
