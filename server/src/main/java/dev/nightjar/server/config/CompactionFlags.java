/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import dev.nightjar.server.config.ServerConfig.CompactionMode;
import java.math.BigInteger;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the flags of compaction. Stateless.
 *
 * <pre>
 *   periodic   5       five hours          revision   5      five revisions
 *   periodic   90m     90 minutes          revision   5us    5000 revisions: etcd takes a time for its nanoseconds
 * </pre>
 */
final class CompactionFlags {
    private static final Pattern WHOLE_NUMBER = Pattern.compile("[+-]?\\d+");
    private static final Pattern NUMBER_WITHOUT_UNIT = Pattern.compile("[+-]?(?:\\d+\\.?\\d*|\\.\\d+)");
    private static final Pattern UNKNOWN_UNIT = Pattern.compile("[+-]?(?:\\d+\\.?\\d*|\\.\\d+)([^\\d.]+).*");
    private static final Pattern UNIT = Pattern.compile("ns|us|µs|μs|ms|s|m|h");
    private static final BigInteger NANOS_IN_AN_HOUR = BigInteger.valueOf(TimeUnit.HOURS.toNanos(1));
    private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

    private CompactionFlags() {}

    static ServerConfig.Compaction read(FlagValues flags) throws ConfigException {
        CompactionMode mode = mode(flags.get(FlagTable.AUTO_COMPACTION_MODE));
        return new ServerConfig.Compaction(
                mode,
                retention(mode, flags.get(FlagTable.AUTO_COMPACTION_RETENTION)),
                flags.get(FlagTable.COMPACTION_BATCH_LIMIT),
                flags.get(FlagTable.COMPACTION_SLEEP_INTERVAL));
    }

    private static CompactionMode mode(String text) throws ConfigException {
        for (CompactionMode mode : CompactionMode.values()) {
            if (mode.text().equals(text)) {
                return mode;
            }
        }
        throw new ConfigException(
                text.isEmpty() ? "undefined auto-compaction-mode" : "unknown auto-compaction-mode \"" + text + "\"");
    }

    private static long retention(CompactionMode mode, String text) throws ConfigException {
        if (text.isEmpty()) {
            return 0;
        }
        BigInteger value = WHOLE_NUMBER.matcher(text).matches() ? new BigInteger(text) : BigInteger.ONE.negate();
        if (value.signum() >= 0 && value.compareTo(MOST) <= 0) {
            BigInteger retention = mode == CompactionMode.PERIODIC ? value.multiply(NANOS_IN_AN_HOUR) : value;
            if (retention.compareTo(MOST) > 0) {
                throw new ConfigException("--auto-compaction-retention is too long (set to " + text + ")");
            }
            return retention.longValue();
        }
        long nanos = duration(text);
        if (nanos < 0) {
            throw new ConfigException("--auto-compaction-retention must not be negative (set to " + text + ")");
        }
        return nanos;
    }

    private static long duration(String text) throws ConfigException {
        try {
            return GoDuration.parse(text).toNanos();
        } catch (ConfigException e) {
            Matcher unit = UNKNOWN_UNIT.matcher(text);
            String reason;
            if (NUMBER_WITHOUT_UNIT.matcher(text).matches()) {
                reason = "missing unit in duration";
            } else if (unit.matches() && !UNIT.matcher(unit.group(1)).matches()) {
                reason = "unknown unit \"" + unit.group(1) + "\" in duration";
            } else {
                reason = "invalid duration";
            }
            throw new ConfigException("error parsing CompactionRetention: time: " + reason + " \"" + text + "\"");
        }
    }
}
