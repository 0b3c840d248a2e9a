/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Garbage of many kinds: it ends its own connection at most, and never a neighbour. */
@ExtendWith(LeakCheck.class)
class FuzzTest {

    private static final long SEED = Long.getLong("nightjar.seed", System.nanoTime());
    private static final int ROUNDS = Integer.getInteger("nightjar.fuzz.rounds", 400);

    private final Random random = new Random(SEED);
    private final TestPort port = TestPort.open();

    @AfterEach
    void close() throws Exception {
        port.close();
    }

    @Test
    void garbage_harms_no_other_connection() throws Exception {
        var neighbour = port.raw().greet();
        int stream = 1;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] garbage = switch (random.nextInt(4)) {
                case 0 -> Bytes.random(random, random.nextInt(300));
                case 1 -> mutated(wellFormed());
                case 2 -> randomFrames();
                default -> mutated(Bytes.of("POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello"));
            };
            try {
                send(garbage);
            } catch (AssertionError e) {
                throw new AssertionError("-Dnightjar.seed=" + SEED + " round " + round, e);
            }
            if (round % 20 == 0) {
                neighbour.call(stream, "/test.Echo/Unary", Bytes.of("still there"));
                assertThat(neighbour.answer(stream).status())
                        .as("-Dnightjar.seed=%d round %d", SEED, round)
                        .isEqualTo("0");
                stream += 2;
            }
        }
    }

    /** Sends, ends its side, and reads whatever comes until the server ends or has nothing to say. */
    private void send(byte[] garbage) throws IOException {
        try (var socket = new Socket(port.address().getAddress(), port.address().getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(garbage);
            socket.shutdownOutput();
            InputStream in = socket.getInputStream();
            int last = in.read();
            while (last >= 0) {
                last = in.read();
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the connection was neither served nor closed", e);
        } catch (SocketException e) {
            assertThat(e).as("cut off").isNotNull();
        }
    }

    private byte[] wellFormed() throws IOException {
        var recorder = new RecordedClient();
        int calls = 1 + random.nextInt(3);
        for (int i = 0; i < calls; i++) {
            recorder.call(2 * i + 1, random.nextBoolean() ? "Unary" : "Collect", Bytes.random(random, 50));
        }
        return recorder.bytes();
    }

    private byte[] randomFrames() throws IOException {
        var recorder = new RecordedClient();
        int frames = 1 + random.nextInt(20);
        for (int i = 0; i < frames; i++) {
            int type = random.nextInt(12);
            recorder.frame(type, random.nextInt(256), random.nextInt(8), Bytes.random(random, random.nextInt(40)));
        }
        return recorder.bytes();
    }

    private byte[] mutated(byte[] bytes) {
        int changes = 1 + random.nextInt(5);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(bytes.length);
            bytes[at] = (byte) random.nextInt(256);
        }
        return random.nextInt(3) == 0 ? java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
    }

    /** Frames as {@link H2Client} would send them, in memory. */
    private static final class RecordedClient {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final H2Client.Frames frames = new H2Client.Frames(out);

        RecordedClient() throws IOException {
            frames.greet();
        }

        void call(int stream, String method, byte[] message) throws IOException {
            frames.headers(stream, H2Client.grpc("/test.Echo/" + method), false);
            frames.frame(H2Client.DATA, H2Client.END_STREAM, stream, Bytes.framed(message));
        }

        void frame(int type, int flags, int stream, byte[] payload) throws IOException {
            frames.frame(type, flags, stream, payload);
        }

        byte[] bytes() {
            return out.toByteArray();
        }
    }
}
