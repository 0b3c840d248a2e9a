/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.core.apply.ApiError;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What every call of the API is asked first, from its metadata. Stateless but for the metrics it counts into. */
public final class CallGuard {
    private static final String CLIENT_API_VERSION = "client-api-version";
    private static final String HAS_LEADER = "hasleader";
    private static final String UNKNOWN_VERSION = "unknown";

    /** Counts calls. */
    public interface Counter {
        void clientRequest(boolean stream, String clientApiVersion);
    }

    private final BooleanSupplier leaderKnown;
    private final Counter counter;

    public CallGuard(BooleanSupplier leaderKnown, Counter counter) {
        this.leaderKnown = leaderKnown;
        this.counter = counter;
    }

    /** Null if the call may begin. */
    @Nullable
    ApiError check(Http2Headers headers, boolean stream) {
        CharSequence version = headers.get(CLIENT_API_VERSION);
        if (version != null && !isUtf8(version)) {
            return ApiError.INVALID_CLIENT_VERSION;
        }
        counter.clientRequest(stream, version == null ? UNKNOWN_VERSION : version.toString());
        CharSequence hasLeader = headers.get(HAS_LEADER);
        boolean refused =
                hasLeader != null && CharSequence.compare(hasLeader, "true") == 0 && !leaderKnown.getAsBoolean();
        return refused ? ApiError.NO_LEADER : null;
    }

    /** Header values arrive as bytes, one to a character. */
    private static boolean isUtf8(CharSequence value) {
        boolean ascii = true;
        for (int i = 0; i < value.length(); i++) {
            ascii &= value.charAt(i) < 0x80;
        }
        if (ascii) {
            return true;
        }
        try {
            StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value.toString().getBytes(StandardCharsets.ISO_8859_1)));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
