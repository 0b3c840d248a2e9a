/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A place to listen on or to be reached at. An immutable value.
 *
 * <p>Forms: {@code http://host:port}, {@code https://host:port}, {@code unix://path}, {@code unixs://path}. For the
 * socket schemes the file's name is host, port and path as written, see {@link #socketPath}.
 *
 * @param scheme what is spoken there
 * @param host name or address, an IPv6 address without brackets; empty for all addresses
 * @param port 0 for any free one, -1 if none is given (socket schemes only)
 * @param path empty, or for socket schemes what follows the host, with its slash
 */
public record ServerUrl(Scheme scheme, String host, int port, String path) {

    /** What no URL of ours may hold: blanks, signs that URLs exclude, and the beginnings of query and fragment. */
    private static final Pattern MEANINGLESS = Pattern.compile("[\\s\\p{Cntrl}<>\"\\\\^`{|}?#]");

    /** How a URL begins. */
    public enum Scheme {
        HTTP,
        HTTPS,
        UNIX,
        UNIXS;

        /** Whether TLS is spoken. */
        public boolean secure() {
            return this == HTTPS || this == UNIXS;
        }

        /** Whether the place is a socket file. */
        public boolean local() {
            return this == UNIX || this == UNIXS;
        }

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Reads one URL. */
    public static ServerUrl parse(String raw) throws ConfigException {
        String text = raw.strip();
        int colon = text.indexOf("://");
        Scheme scheme = colon < 0 ? null : schemeOf(text.substring(0, colon));
        if (scheme == null) {
            throw new ConfigException("URL scheme must be http, https, unix, or unixs: " + text);
        }
        String rest = text.substring(colon + 3);
        int slash = rest.indexOf('/');
        String authority = slash < 0 ? rest : rest.substring(0, slash);
        String path = slash < 0 ? "" : rest.substring(slash);
        checkCharacters(text, authority);
        HostPort hostPort = HostPort.split(text, authority);
        if (!scheme.local()) {
            if (!hostPort.hasPort()) {
                throw new ConfigException("URL address does not have the form \"host:port\": " + text);
            }
            if (!path.isEmpty()) {
                throw new ConfigException("URL must not contain a path: " + text);
            }
        }
        return new ServerUrl(scheme, hostPort.host(), hostPort.port(), path);
    }

    /** Reads a comma separated list; the result is sorted by text and holds each URL once. */
    public static List<ServerUrl> parseList(String text) throws ConfigException {
        return parseAll(List.of(text.split(",", -1)));
    }

    /** Reads several; the result is sorted by text and holds each URL once. */
    static List<ServerUrl> parseAll(List<String> texts) throws ConfigException {
        if (texts.isEmpty()) {
            throw new ConfigException("no valid URLs given");
        }
        TreeMap<String, ServerUrl> sorted = new TreeMap<>();
        for (String one : texts) {
            ServerUrl url = parse(one);
            sorted.put(url.toString(), url);
        }
        return List.copyOf(sorted.values());
    }

    /** The URLs' texts, comma separated. */
    public static String join(List<ServerUrl> urls) {
        return String.join(",", texts(urls));
    }

    /** The URLs' texts. */
    public static List<String> texts(List<ServerUrl> urls) {
        List<String> texts = new ArrayList<>(urls.size());
        for (ServerUrl url : urls) {
            texts.add(url.toString());
        }
        return texts;
    }

    /** The socket file's name, relative to the working directory unless the URL had an empty host. */
    public String socketPath() {
        return authority() + path;
    }

    /** The socket file's name or {@code host:port}, as log lines tell where something listens. */
    public String address() {
        return scheme.local() ? socketPath() : authority();
    }

    /** {@code host:port} as a dialler writes it. */
    public String authority() {
        String shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return port < 0 ? shown : shown + ":" + port;
    }

    @Override
    public String toString() {
        return scheme.text() + "://" + authority() + path;
    }

    private static @Nullable Scheme schemeOf(String text) {
        for (Scheme scheme : Scheme.values()) {
            if (scheme.text().equals(text.toLowerCase(Locale.ROOT))) {
                return scheme;
            }
        }
        return null;
    }

    private static void checkCharacters(String text, String authority) throws ConfigException {
        if (MEANINGLESS.matcher(text).find() || authority.indexOf('@') >= 0) {
            throw new ConfigException("URL must only consist of scheme, host and port: " + text);
        }
    }

    /** What stands between scheme and path. */
    private record HostPort(String host, int port, boolean hasPort) {
        private static final int MAX_PORT = 65_535;

        static HostPort split(String url, String authority) throws ConfigException {
            String host;
            String after;
            if (authority.startsWith("[")) {
                int close = authority.indexOf(']');
                if (close < 0) {
                    throw new ConfigException("parse \"" + url + "\": missing ']' in host");
                }
                host = authority.substring(1, close);
                after = authority.substring(close + 1);
            } else {
                int colon = authority.lastIndexOf(':');
                host = colon < 0 ? authority : authority.substring(0, colon);
                after = colon < 0 ? "" : authority.substring(colon);
            }
            if (after.isEmpty()) {
                return new HostPort(host, -1, false);
            }
            if (host.indexOf(':') >= 0 && !authority.startsWith("[")) {
                throw new ConfigException("URL address does not have the form \"host:port\": " + url);
            }
            return new HostPort(host, portOf(url, after), true);
        }

        private static int portOf(String url, String after) throws ConfigException {
            String digits = after.substring(1);
            if (!after.startsWith(":") || !digits.matches("\\d{0,9}")) {
                throw new ConfigException("parse \"" + url + "\": invalid port \"" + after + "\" after host");
            }
            int port = digits.isEmpty() ? 0 : Integer.parseInt(digits);
            if (port > MAX_PORT) {
                throw new ConfigException("parse \"" + url + "\": invalid port \"" + after + "\" after host");
            }
            return port;
        }
    }
}
