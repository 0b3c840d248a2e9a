/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.wire.EventLoops;
import dev.nightjar.wire.WireLimits;
import dev.nightjar.wire.WireServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same cases with three gRPC libraries that share no code with one another or with us. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class WireClientsTest {

    private static final int MAX_MESSAGE_BYTES = 5 << 20;

    private static final List<String> CASES = List.of(
            "unary",
            "empty-message",
            "client-stream",
            "server-stream-slow-reader",
            "bidi",
            "half-close-keeps-stream",
            "cancel",
            "deadline",
            "gzip",
            "metadata",
            "percent-encoded-message",
            "large-message",
            "parallel-calls",
            "unimplemented",
            "too-large-message",
            "killed-client");

    @Test
    void grpcGo() throws Exception {
        assertAllCasesAreOk(ForeignClient.GO);
    }

    @Test
    void grpcJs() throws Exception {
        assertAllCasesAreOk(ForeignClient.NODE);
    }

    @Test
    void grpcPython() throws Exception {
        assertAllCasesAreOk(ForeignClient.PYTHON);
    }

    private static void assertAllCasesAreOk(ForeignClient client) throws Exception {
        var echo = new EchoService();
        try (var loops = EventLoops.create(2)) {
            WireServer server = echo.addTo(WireServer.builder(loops))
                    .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .limits(limits())
                    .start();
            int port = ((InetSocketAddress) server.addresses().getFirst()).getPort();
            List<String> printed = client.run("127.0.0.1:" + port);
            server.shutdown(Duration.ZERO).get(60, TimeUnit.SECONDS);
            assertThat(printed).containsExactlyElementsOf(expected().toList());
        }
        assertThat(echo.mostQueuedBytes.get())
                .as("bytes that waited for the slow reader: its queue and one message")
                .isPositive()
                .isLessThan(WireLimits.defaults().streamQueueBytes() + 20_000L);
    }

    private static Stream<String> expected() {
        return CASES.stream().map(name -> "ok " + name);
    }

    private static WireLimits limits() {
        WireLimits defaults = WireLimits.defaults();
        return new WireLimits(
                MAX_MESSAGE_BYTES,
                defaults.maxHeaderListBytes(),
                defaults.maxConcurrentStreams(),
                defaults.maxConnections(),
                defaults.keepaliveMinTime(),
                defaults.keepaliveInterval(),
                defaults.keepaliveTimeout(),
                defaults.streamQueueBytes());
    }
}
