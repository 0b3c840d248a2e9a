/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.KVGrpc;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ServerMemory;
import dev.nightjar.verify.driver.WatchCall;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Long answers: what they cost, and that writes, watches and compactions go on beside them and change nothing. */
@OnEveryServer
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LongReadTest {
    private static final Logger LOG = LoggerFactory.getLogger(LongReadTest.class);

    private static final int VALUE = 8 << 10;
    /** More than a read keeps the places of. */
    private static final int KEYS = 6_000;

    private static final int CLIENTS = 20;

    /** Half a megabyte for each, and what a JVM takes for the first calls of their kind; the answers are 50 MB each. */
    private static final long BOUND = 100L << 20;

    private static final ByteString FROM = ByteString.copyFromUtf8("k/");
    private static final ByteString TO = ByteString.copyFromUtf8("k0");

    @RegisterExtension
    final FreshServer fresh;

    LongReadTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    private void fill(char letter) {
        ByteString value = ByteString.copyFromUtf8(String.valueOf(letter).repeat(VALUE));
        var _ = fresh.api().fill(KEYS, i -> ApiClient.putRequest("k/%06d".formatted(i), value));
    }

    /** Counts what an answer holds of the first values, and keeps nothing. */
    private record Bytes(long ofFirstValues) {
        static Bytes of(InputStream message) {
            long first = 0;
            byte[] chunk = new byte[64 << 10];
            try {
                for (int n = message.read(chunk); n > 0; n = message.read(chunk)) {
                    for (int i = 0; i < n; i++) {
                        first += chunk[i] == 'a' ? 1 : 0;
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return new Bytes(first);
        }

        /** Values, as a few bytes of the numbers around them may be the same letter. */
        long firstValues() {
            return ofFirstValues / VALUE;
        }
    }

    private static final class Listing extends ClientCall.Listener<Bytes> {
        final CompletableFuture<Bytes> answer = new CompletableFuture<>();
        private final ClientCall<RangeRequest, Bytes> call;
        private Bytes got = new Bytes(0);

        Listing(ManagedChannel channel, CallOptions options, long revision) {
            MethodDescriptor<RangeRequest, RangeResponse> range = KVGrpc.getRangeMethod();
            call = channel.newCall(
                    range.toBuilder(range.getRequestMarshaller(), MARSHALLER).build(), options);
            call.start(this, new Metadata());
            call.sendMessage(RangeRequest.newBuilder()
                    .setKey(FROM)
                    .setRangeEnd(TO)
                    .setRevision(revision)
                    .build());
            call.halfClose();
        }

        Listing read() {
            call.request(2);
            return this;
        }

        @Override
        public void onMessage(Bytes message) {
            got = message;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (status.isOk()) {
                answer.complete(got);
            } else {
                answer.completeExceptionally(status.asRuntimeException());
            }
        }
    }

    private static final MethodDescriptor.Marshaller<Bytes> MARSHALLER = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(Bytes value) {
            throw new UnsupportedOperationException("only answers are counted");
        }

        @Override
        public Bytes parse(InputStream stream) {
            return Bytes.of(stream);
        }
    };

    private ManagedChannel channel() {
        return NettyChannelBuilder.forTarget(fresh.server().endpoint())
                .usePlaintext()
                .maxInboundMessageSize(1 << 30)
                .build();
    }

    @Test
    void many_clients_that_list_everything_cost_little_and_do_not_stop_a_writer() throws Exception {
        fill('a');
        fresh.server().settleMemory();
        long before = ServerMemory.of(fresh.server()).anonymousBytes();
        List<ManagedChannel> channels = new ArrayList<>();
        try {
            List<Listing> listings = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                channels.add(channel());
                listings.add(new Listing(channels.getLast(), CallOptions.DEFAULT, 0));
            }
            for (int i = 0; i < 100; i++) {
                assertThat(fresh.api().put("beside", "value " + i)).isPositive();
            }
            long unread = ServerMemory.of(fresh.server()).anonymousBytes() - before;
            listings.forEach(Listing::read);
            for (Listing listing : listings) {
                assertThat(listing.answer.get(3, TimeUnit.MINUTES).firstValues())
                        .isEqualTo(KEYS);
            }
            long read = ServerMemory.of(fresh.server()).anonymousBytes() - before;
            LOG.info(
                    "{}: {} answers of {} MiB take {} MiB while they are not read, {} MiB after",
                    fresh.kind(),
                    CLIENTS,
                    ((long) KEYS * VALUE) >> 20,
                    unread >> 20,
                    read >> 20);
            if (fresh.kind() == ServerKind.NIGHTJAR) {
                assertThat(unread).isLessThan(BOUND);
                assertThat(read).isLessThan(BOUND);
            }
        } finally {
            channels.forEach(ManagedChannel::shutdownNow);
        }
    }

    @Test
    void a_compaction_that_passes_a_read_takes_nothing_from_it_and_holds_up_no_watch() throws Exception {
        fill('a');
        ManagedChannel channel = channel();
        try (WatchCall watch = WatchCall.open(fresh.api())) {
            watch.created(WatchCall.key("watched"));
            // It begins while the values are written anew, and is not read before compaction has passed it.
            Listing listing =
                    new Listing(channel, CallOptions.DEFAULT, fresh.api().revision());
            fill('b');
            fresh.api().compact(fresh.api().revision());
            fresh.api().put("watched", "event");
            assertThat(watch.events(1)).isNotEmpty();
            Bytes bytes = listing.read().answer.get(3, TimeUnit.MINUTES);
            assertThat(bytes.firstValues()).isEqualTo(KEYS);
            assertThat(new Listing(channel, CallOptions.DEFAULT, 0)
                            .read()
                            .answer
                            .get(3, TimeUnit.MINUTES)
                            .firstValues())
                    .isZero();
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void a_client_that_compresses_and_one_that_gives_up_are_served_as_well() throws Exception {
        fill('a');
        ManagedChannel channel = channel();
        try {
            Listing given = new Listing(channel, CallOptions.DEFAULT, 0);
            given.call.cancel("enough", null);
            Listing compressed = new Listing(channel, CallOptions.DEFAULT.withCompression("gzip"), 0).read();
            assertThat(compressed.answer.get(3, TimeUnit.MINUTES).firstValues()).isEqualTo(KEYS);
            assertThat(given.answer.handle((none, failure) -> failure != null).get(3, TimeUnit.MINUTES))
                    .isTrue();
        } finally {
            channel.shutdownNow();
        }
    }
}
