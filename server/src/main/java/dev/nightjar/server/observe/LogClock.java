/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * Writes times as log lines show them: {@code 2026-01-31T10:20:30.123456Z}, or {@code +0100} in place of {@code Z}. Any
 * thread.
 */
final class LogClock {
    /** Unlike a {@link java.time.ZoneId} it is there at once: no providers are looked for on the class path. */
    private final TimeZone zone;

    /** The text of the second last written; most lines share theirs with the line before. */
    private volatile @Nullable Second last;

    LogClock(TimeZone zone) {
        this.zone = zone;
    }

    void append(StringBuilder out, Instant instant) {
        Second second = last;
        if (second == null || second.epoch != instant.getEpochSecond()) {
            second = second(instant);
            last = second;
        }
        String micros = Integer.toString(instant.getNano() / 1000);
        out.append(second.head)
                .append('.')
                .repeat('0', 6 - micros.length())
                .append(micros)
                .append(second.zone);
    }

    private Second second(Instant instant) {
        ZoneOffset offset = ZoneOffset.ofTotalSeconds(zone.getOffset(instant.toEpochMilli()) / 1000);
        LocalDateTime time = LocalDateTime.ofEpochSecond(instant.getEpochSecond(), 0, offset);
        String text = time.toString(); // without seconds if they are zero
        String head = text.length() == 16 ? text + ":00" : text;
        int minutes = offset.getTotalSeconds() / 60;
        String suffix = minutes == 0
                ? "Z"
                : "%s%02d%02d".formatted(minutes < 0 ? "-" : "+", Math.abs(minutes) / 60, Math.abs(minutes) % 60);
        return new Second(instant.getEpochSecond(), head, suffix);
    }

    private record Second(long epoch, String head, String zone) {}
}
