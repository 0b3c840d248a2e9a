/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

import dev.nightjar.server.config.ServerUrl;
import dev.nightjar.wire.EventLoops;
import dev.nightjar.wire.HttpHandler;
import dev.nightjar.wire.ListenException;
import dev.nightjar.wire.WireServer;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The port for members. Opened and closed by the threads that start and stop the server. */
final class PeerPort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerPort.class);

    private final WireServer port;
    private final List<ServerUrl> urls;

    private PeerPort(WireServer port, List<ServerUrl> urls) {
        this.port = port;
        this.urls = urls;
    }

    /**
     * Listens.
     *
     * @param pages what is served
     * @throws StartFailure if one of the addresses cannot be listened on; none is then
     */
    static PeerPort open(List<ServerUrl> urls, EventLoops loops, HttpHandler pages) throws StartFailure {
        try {
            WireServer.Builder builder = WireServer.builder(loops).http(pages);
            for (ServerUrl url : urls) {
                if (url.scheme().secure()) {
                    throw new StartFailure(
                            "cannot listen on TLS for " + url.authority() + ": KeyFile and CertFile are not presented");
                }
                builder.listen(ListenAddresses.of(url));
            }
            WireServer port = builder.start();
            return new PeerPort(port, ListenAddresses.bound(urls, port.addresses()));
        } catch (ListenException e) {
            throw failed(new StartFailure(String.valueOf(e.getMessage()), e));
        } catch (StartFailure e) {
            throw failed(e);
        }
    }

    private static StartFailure failed(StartFailure failure) {
        LOG.atError().addKeyValue("error", failure.getMessage()).log("creating peer listener failed");
        return failure;
    }

    /** Where members are served, with the real ports. */
    List<ServerUrl> urls() {
        return urls;
    }

    /** Members come again when they are cut off, so nothing is waited for. */
    @Override
    public void close() {
        tell("stopping serving peer traffic");
        port.shutdown(Duration.ZERO).join();
        tell("stopped serving peer traffic");
    }

    private void tell(String message) {
        for (ServerUrl url : urls) {
            LOG.atInfo().addKeyValue("address", url.address()).log(message);
        }
    }
}
