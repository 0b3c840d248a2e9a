/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Locale;

/** An address could not be listened on. The message reads like {@code listen tcp 127.0.0.1:80: bind: permission denied}. */
public final class ListenException extends IOException {

    private final transient SocketAddress address;

    ListenException(SocketAddress address, Throwable cause) {
        super("listen " + name(address) + ": " + reason(address, cause), cause);
        this.address = address;
    }

    /** The address that was asked for. */
    public SocketAddress address() {
        return address;
    }

    private static String name(SocketAddress address) {
        return switch (address) {
            case DomainSocketAddress unix -> "unix " + unix.path();
            case InetSocketAddress inet -> "tcp " + host(inet) + ":" + inet.getPort();
            default -> address.toString();
        };
    }

    private static String host(InetSocketAddress inet) {
        String host = inet.getHostString();
        boolean bare = inet.getAddress() instanceof Inet6Address && host.indexOf(':') >= 0;
        return bare ? "[" + host + "]" : host;
    }

    private static String reason(SocketAddress address, Throwable cause) {
        if (address instanceof InetSocketAddress inet && inet.isUnresolved()) {
            return "lookup " + inet.getHostString() + ": no such host";
        }
        String text = cause.getMessage();
        if (text == null) {
            return "bind: " + cause;
        }
        String last = text.substring(text.lastIndexOf(": ") + 1).trim();
        return "bind: " + last.toLowerCase(Locale.ROOT);
    }
}
