/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import java.util.List;

/** What a port needs from a TLS context. Stateless. */
public final class WireTls {

    private WireTls() {}

    /** The protocols that a port speaks, for {@code SslContextBuilder.applicationProtocolConfig}. */
    public static ApplicationProtocolConfig alpn() {
        return new ApplicationProtocolConfig(
                Protocol.ALPN,
                SelectorFailureBehavior.NO_ADVERTISE,
                SelectedListenerFailureBehavior.ACCEPT,
                ApplicationProtocolNames.HTTP_2,
                ApplicationProtocolNames.HTTP_1_1);
    }

    /** Cipher suites that HTTP/2 allows, for {@code SslContextBuilder.ciphers} where no others are asked for. */
    public static List<String> ciphers() {
        return Http2SecurityUtil.CIPHERS;
    }
}
