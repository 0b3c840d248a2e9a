/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A server on a free loopback port with the echo service, and clients of it; closes all of them. */
final class TestPort implements AutoCloseable {

    final EventLoops loops;
    final EchoHandlers echo = new EchoHandlers();
    final WireServer server;

    private final List<ManagedChannel> channels = new ArrayList<>();
    private final List<H2Client> clients = new ArrayList<>();

    private TestPort(EventLoops loops, UnaryOperator<WireServer.Builder> more) {
        this.loops = loops;
        var builder = WireServer.builder(loops).listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try {
            server = more.apply(echo.addTo(builder)).start();
        } catch (ListenException e) {
            throw new AssertionError(e);
        }
    }

    static TestPort open() {
        return open(builder -> builder);
    }

    static TestPort open(UnaryOperator<WireServer.Builder> more) {
        return new TestPort(EventLoops.create(1), more);
    }

    static TestPort openOn(EventLoops loops, UnaryOperator<WireServer.Builder> more) {
        return new TestPort(loops, more);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.addresses().getFirst();
    }

    ManagedChannel channel() {
        return channel(builder -> builder);
    }

    ManagedChannel channel(UnaryOperator<NettyChannelBuilder> more) {
        ManagedChannel channel = more.apply(
                        NettyChannelBuilder.forAddress(address()).usePlaintext())
                .build();
        channels.add(channel);
        return channel;
    }

    /** A client that sends whatever it is told. */
    H2Client raw() throws IOException {
        var client = new H2Client(address());
        clients.add(client);
        return client;
    }

    @Override
    public void close() throws IOException {
        for (ManagedChannel channel : channels) {
            channel.shutdownNow();
        }
        for (H2Client client : clients) {
            client.close();
        }
        server.shutdown(Duration.ZERO).orTimeout(60, TimeUnit.SECONDS).join();
        loops.close();
    }
}
