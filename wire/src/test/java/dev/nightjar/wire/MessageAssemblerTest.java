/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Random messages in random cuts to a sink of random mood. */
@ExtendWith(LeakCheck.class)
class MessageAssemblerTest {

    private static final long SEED = Long.getLong("nightjar.seed", System.nanoTime());
    private static final int MAX_BODY_BYTES = 200_000;

    private static final class Sink implements MessageAssembler.Sink {
        final Random random;
        final List<byte[]> got = new ArrayList<>();
        final Map<Integer, ByteBuf> retained = new HashMap<>();
        boolean wants = true;

        Sink(Random random) {
            this.random = random;
        }

        @Override
        public boolean wantsMessage() {
            return wants;
        }

        @Override
        public void onBody(int flag, ByteBuf body) {
            got.add(Bytes.of(body));
            if (random.nextInt(4) == 0) {
                retained.put(got.size() - 1, body.retain());
            }
            wants = random.nextInt(5) > 0;
        }

        @Override
        public boolean admit(int flag, long bodyBytes) {
            return flag == 0 && bodyBytes <= MAX_BODY_BYTES;
        }

        /** Slices that were kept still hold what they held. */
        void checkRetained() {
            retained.forEach((index, kept) -> {
                assertThat(Bytes.of(kept)).isEqualTo(got.get(index));
                kept.release();
            });
        }
    }

    @Test
    void whatever_the_cuts_the_messages_are_the_same() {
        var random = new Random(SEED);
        for (int round = 0; round < 200; round++) {
            List<byte[]> sent = new ArrayList<>();
            var wire = new ByteArrayOutputStream();
            int count = 1 + random.nextInt(20);
            for (int i = 0; i < count; i++) {
                int size = random.nextInt(10) == 0 ? random.nextInt(MAX_BODY_BYTES) : random.nextInt(100);
                sent.add(Bytes.random(random, size));
                wire.writeBytes(Bytes.framed(sent.getLast()));
            }
            var sink = new Sink(random);
            var assembler = new MessageAssembler(ByteBufAllocator.DEFAULT, sink);
            feed(assembler, sink, wire.toByteArray(), random);
            while (assembler.pendingBytes() > 0) {
                sink.wants = true;
                assembler.resume();
            }
            assertThat(sink.got.size()).as("-Dnightjar.seed=%d", SEED).isEqualTo(count);
            for (int i = 0; i < count; i++) {
                assertThat(sink.got.get(i)).as("-Dnightjar.seed=%d", SEED).isEqualTo(sent.get(i));
            }
            sink.checkRetained();
            assembler.close();
        }
    }

    private static void feed(MessageAssembler assembler, Sink sink, byte[] bytes, Random random) {
        int at = 0;
        while (at < bytes.length) {
            int longest = random.nextBoolean() ? 10 : 20_000;
            int n = Math.min(bytes.length - at, 1 + random.nextInt(longest));
            ByteBuf frame = ByteBufAllocator.DEFAULT.directBuffer(n).writeBytes(bytes, at, n);
            assembler.accept(frame);
            frame.release();
            at += n;
            if (random.nextInt(3) == 0) {
                sink.wants = true;
                assembler.resume();
            }
        }
    }

    @Test
    void nothing_is_handed_on_after_a_refused_prefix_or_the_close() {
        var sink = new Sink(new Random(1));
        var assembler = new MessageAssembler(ByteBufAllocator.DEFAULT, sink);
        assembler.accept(Unpooled.wrappedBuffer(Bytes.framed(7, new byte[3])));
        sink.wants = true;
        assembler.accept(Unpooled.wrappedBuffer(Bytes.framed(new byte[3])));
        assertThat(sink.got).isEmpty();
        assertThat(assembler.pendingBytes()).isZero();
        assembler.close();
    }
}
