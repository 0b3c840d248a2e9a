/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.Metadata;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.Base64;
import java.util.Map;
import java.util.Set;

/** Custom metadata between header blocks and {@link Metadata}; values of {@code -bin} names are base64. Stateless. */
final class MetadataCodec {

    /** Headers that belong to the protocol and not to the application. */
    private static final Set<String> RESERVED = Set.of(
            "content-type",
            "te",
            "grpc-timeout",
            "grpc-encoding",
            "grpc-accept-encoding",
            "grpc-status",
            "grpc-message",
            "content-length",
            "connection");

    private MetadataCodec() {}

    /**
     * The application's part of a header block.
     *
     * @throws IllegalArgumentException if a binary value is not base64
     */
    static Metadata read(Http2Headers headers) {
        var metadata = new Metadata();
        for (Map.Entry<CharSequence, CharSequence> header : headers) {
            String name = header.getKey().toString();
            if (!name.startsWith(":") && !RESERVED.contains(name) && isName(name)) {
                add(metadata, name, header.getValue());
            }
        }
        return metadata;
    }

    private static void add(Metadata metadata, String name, CharSequence value) {
        if (name.endsWith(Metadata.BINARY_HEADER_SUFFIX)) {
            Metadata.Key<byte[]> key = Metadata.Key.of(name, Metadata.BINARY_BYTE_MARSHALLER);
            for (String part : value.toString().split(",", -1)) {
                metadata.put(key, decode(name, part.trim()));
            }
        } else {
            metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value.toString());
        }
    }

    private static byte[] decode(String name, String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "malformed binary metadata \"" + base64 + "\" in header \"" + name + "\"", e);
        }
    }

    /** Adds metadata to a header block that is about to be sent. */
    static void write(Metadata metadata, Http2Headers headers) {
        for (String name : metadata.keys()) {
            if (RESERVED.contains(name)) {
                continue;
            }
            if (name.endsWith(Metadata.BINARY_HEADER_SUFFIX)) {
                var values = metadata.getAll(Metadata.Key.of(name, Metadata.BINARY_BYTE_MARSHALLER));
                if (values != null) {
                    for (byte[] value : values) {
                        headers.add(
                                AsciiString.of(name),
                                Base64.getEncoder().withoutPadding().encodeToString(value));
                    }
                }
            } else {
                var values = metadata.getAll(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
                if (values != null) {
                    for (String value : values) {
                        headers.add(AsciiString.of(name), value);
                    }
                }
            }
        }
    }

    /** Whether a header's name can be a metadata key. */
    private static boolean isName(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean known = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
            if (!known) {
                return false;
            }
        }
        return !name.isEmpty();
    }
}
