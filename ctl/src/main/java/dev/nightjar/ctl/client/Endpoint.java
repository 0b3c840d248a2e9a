/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.client;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where one member listens for clients; immutable, any thread.
 *
 * @param text as the user wrote it
 * @param host a name or an address, without the brackets of an IPv6 address
 * @param security what the scheme says about TLS
 */
public record Endpoint(String text, String host, int port, Security security) {

    /** What the scheme of an endpoint says about TLS. */
    public enum Security {
        /** {@code http://}: never. */
        PLAIN,
        /** {@code https://}: always. */
        TLS,
        /** No scheme: if there is anything else that asks for it. */
        UNSAID
    }

    private static final Pattern FORM =
            Pattern.compile("(?:(?<scheme>https?)://)?(?<host>\\[[^\\[\\]]+]|[^:/\\[\\]]+):(?<port>\\d{1,5})/?");
    private static final int MAX_PORT = 65_535;

    /**
     * Reads one endpoint: {@code host:port}, {@code http://host:port} or {@code https://host:port}.
     *
     * @throws CtlException if it has another form
     */
    public static Endpoint parse(String text) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches() || Integer.parseInt(form.group("port")) > MAX_PORT) {
            throw new CtlException(
                    ExitCode.BAD_ARGUMENTS,
                    "bad endpoint \"" + text + "\", expecting host:port, http://host:port or https://host:port");
        }
        String host = form.group("host");
        String scheme = form.group("scheme");
        return new Endpoint(
                text.strip(),
                host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
                Integer.parseInt(form.group("port")),
                scheme == null ? Security.UNSAID : scheme.equals("https") ? Security.TLS : Security.PLAIN);
    }

    /**
     * Reads a list of endpoints, none of them empty.
     *
     * @throws CtlException if there is none, or one has another form
     */
    public static List<Endpoint> parseAll(List<String> texts) {
        List<Endpoint> endpoints = texts.stream()
                .filter(text -> !text.isBlank())
                .map(Endpoint::parse)
                .toList();
        if (endpoints.isEmpty()) {
            throw new CtlException(ExitCode.BAD_CONNECTION, "no available endpoints");
        }
        return endpoints;
    }

    /** Host and port, with brackets around an IPv6 address. */
    public String authority() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
