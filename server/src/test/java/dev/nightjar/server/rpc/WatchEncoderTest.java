/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.ResponseHeader;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.api.mvccpb.KeyValue;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.mvcc.WriteTxn;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import dev.nightjar.core.watch.EventBatch;
import dev.nightjar.core.watch.WatchCreate;
import dev.nightjar.core.watch.WatchEnvironment;
import dev.nightjar.core.watch.WatchLimits;
import dev.nightjar.core.watch.WatchObserver;
import dev.nightjar.core.watch.WatchSink;
import dev.nightjar.core.watch.WatchStream;
import dev.nightjar.core.watch.WatchableStore;
import dev.nightjar.core.watch.WatcherQuota;
import dev.nightjar.server.rpc.WatchEncoder.Flags;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WatchEncoderTest {
    @TempDir
    Path directory;

    private final WatchEncoder encoder = new WatchEncoder(new HeaderWriter(1, 2, () -> 3));

    private static ResponseHeader header(long revision) {
        return ResponseHeader.newBuilder()
                .setClusterId(1)
                .setMemberId(2)
                .setRevision(revision)
                .setRaftTerm(3)
                .build();
    }

    private void encodes(long watchId, long revision, Flags flags, WatchResponse.Builder expected) throws Exception {
        ByteBuf out = Unpooled.buffer();
        encoder.control(out, watchId, revision, flags);
        assertThat(FakeCall.only(out, WatchResponse.parser()))
                .isEqualTo(
                        expected.setHeader(header(revision)).setWatchId(watchId).build());
    }

    @Test
    void what_a_response_without_events_says() throws Exception {
        encodes(0, 7, Flags.CREATED, WatchResponse.newBuilder().setCreated(true));
        encodes(5, 7, Flags.CANCELED, WatchResponse.newBuilder().setCanceled(true));
        encodes(-1, Long.MAX_VALUE, Flags.PROGRESS, WatchResponse.newBuilder());
        encodes(
                5,
                0,
                Flags.compacted(300),
                WatchResponse.newBuilder().setCanceled(true).setCompactRevision(300));
        encodes(
                -1,
                7,
                Flags.rejected("no such range \u2026"),
                WatchResponse.newBuilder().setCreated(true).setCanceled(true).setCancelReason("no such range \u2026"));
    }

    @Test
    void the_header_has_the_size_that_is_told_to_the_engine() {
        ByteBuf out = Unpooled.buffer();
        encoder.control(out, 0, 300, Flags.PROGRESS);
        assertThat(out.readableBytes()).isEqualTo(Proto.PREFIX_BYTES + encoder.headerBytes(300));
    }

    /** Watchers of one stream, with ids of different lengths. */
    private static final long[] IDS = {1, 0, 300, Long.MAX_VALUE, 1};

    /** Encodes the events that the engine hands out, each batch once for each id: from the second on it is shared. */
    private final class Encoding implements WatchSink {
        final List<ByteBuf> encoded = new ArrayList<>();
        final List<Long> sizes = new ArrayList<>();

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public int headerBytes(long revision) {
            return encoder.headerBytes(revision);
        }

        @Override
        public void created(long watchId, long revision) {}

        @Override
        public void rejected(String reason, long revision) {
            throw new AssertionError(reason);
        }

        @Override
        public void canceled(long watchId, long revision) {}

        @Override
        public void compacted(long watchId, long compactRevision) {}

        @Override
        public void progress(long watchId, long revision) {}

        @Override
        public void events(long watchId, long headerRevision, EventBatch batch, boolean fragment) {
            sizes.add(batch.encodedBytes());
            EventHead head = encoder.head(headerRevision);
            for (int i = 0; i < IDS.length; i++) {
                ByteBuf out = Unpooled.buffer();
                encoder.events(out, IDS[i], head, batch, i == 3);
                encoded.add(out);
            }
        }

        @Override
        public void beginLong(long watchId, long headerRevision, boolean fragment, long eventBytes) {
            throw new AssertionError("no revision here is long");
        }

        @Override
        public boolean takesPart() {
            throw new AssertionError("no revision here is long");
        }

        @Override
        public void part(EventBatch batch, boolean last) {
            throw new AssertionError("no revision here is long");
        }

        @Override
        public void flush() {}

        @Override
        public void fail(Throwable cause) {
            throw new AssertionError(cause);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static KeyValue.Builder keyValue(String key, long modRevision) {
        return KeyValue.newBuilder().setKey(ByteString.copyFromUtf8(key)).setModRevision(modRevision);
    }

    private static WatchResponse expected(int valueBytes) {
        KeyValue put = keyValue("k", 2)
                .setCreateRevision(2)
                .setVersion(1)
                .setLease(7)
                .setValue(ByteString.copyFrom(new byte[valueBytes]))
                .build();
        return WatchResponse.newBuilder()
                .setHeader(header(3))
                .setWatchId(1)
                .addEvents(Event.newBuilder().setKv(put))
                .addEvents(Event.newBuilder()
                        .setType(Event.EventType.DELETE)
                        .setKv(keyValue("k", 3))
                        .setPrevKv(put))
                .build();
    }

    private Encoding encode(int valueBytes) throws IOException {
        try (MvccStore store = MvccStore.open(SegmentLog.open(
                new SegmentLog.Options(FileSystem.real(), directory, SegmentLog.SEGMENT_BYTES, 1, Runnable::run)))) {
            WatchableStore watches = new WatchableStore(store, WatchLimits.DEFAULT, WatchObserver.NONE);
            List<Runnable> loop = new ArrayList<>();
            Encoding encoding = new Encoding();
            WatchStream stream = watches.openShard(new WatchEnvironment(
                            loop::add, Runnable::run, (task, nanos) -> {}, () -> 0, new SplittableRandom(1)))
                    .openStream(encoding, new WatcherQuota(10));
            stream.create(new WatchCreate(
                    bytes("k"), new byte[0], 0, 1, new WatchCreate.Options(false, false, false, true, false)));
            WriteTxn put = store.begin();
            put.put(bytes("k"), ByteBuffer.allocate(valueBytes), 7);
            put.end();
            WriteTxn delete = store.begin();
            delete.delete(bytes("k"), new byte[0]);
            delete.end();
            watches.append(store.commit(1, 1));
            store.publish();
            watches.wake();
            while (!loop.isEmpty()) {
                loop.removeFirst().run();
            }
            return encoding;
        }
    }

    private void assertEncodes(int valueBytes) throws IOException {
        Encoding encoding = encode(valueBytes);
        WatchResponse expected = expected(valueBytes);
        for (int i = 0; i < IDS.length; i++) {
            assertThat(FakeCall.only(encoding.encoded.get(i), WatchResponse.parser()))
                    .isEqualTo(expected.toBuilder()
                            .setWatchId(IDS[i])
                            .setFragment(i == 3)
                            .build());
        }
        int events = expected.getSerializedSize()
                - expected.toBuilder().clearEvents().build().getSerializedSize();
        assertThat(encoding.sizes).containsExactly((long) events);
    }

    @Test
    void events_and_values_before_them_are_what_generated_messages_say() throws IOException {
        assertEncodes(3);
    }

    @Test
    void large_events_are_encoded_again_for_each_watcher() throws IOException {
        assertEncodes(100_000);
    }
}
