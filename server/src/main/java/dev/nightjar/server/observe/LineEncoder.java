/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import dev.nightjar.server.config.LogLevel;
import dev.nightjar.server.config.ServerConfig.LogFormat;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;

/**
 * Turns an event into one line, as JSON or for people, in etcd's form. Any thread.
 *
 * <p>JSON: {@code {"level":…,"ts":…,"caller":…,"msg":…, fields…, "error":…, "stacktrace":…}}. Fields are the event's
 * key-value pairs; an exception shows as {@code error}, and at level error and above also as {@code stacktrace}. The
 * caller is the logger's class: where in it would cost a stack walk for each line. Console: the same parts with tabs
 * between, the fields as JSON.
 */
final class LineEncoder extends EncoderBase<ILoggingEvent> {
    /** Loggers are few; a program that makes them without end must not fill the memory. */
    static final int MAX_CALLERS = 4096;

    private final LogFormat format;
    private final LogClock clock;
    private final ConcurrentHashMap<String, String> callers = new ConcurrentHashMap<>();

    LineEncoder(LogFormat format, LogClock clock) {
        this.format = format;
        this.clock = clock;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(256);
        switch (format) {
            case JSON -> appendJson(line, event);
            case CONSOLE -> appendConsole(line, event);
        }
        return line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    }

    private void appendJson(StringBuilder line, ILoggingEvent event) {
        line.append("{\"level\":\"").append(level(event).text()).append("\",\"ts\":\"");
        clock.append(line, instant(event));
        line.append("\",\"caller\":");
        JsonText.appendString(line, caller(event.getLoggerName()));
        line.append(",\"msg\":");
        JsonText.appendString(line, message(event));
        String fields = fields(event);
        if (!fields.isEmpty()) {
            line.append(',').append(fields);
        }
        line.append('}');
    }

    private void appendConsole(StringBuilder line, ILoggingEvent event) {
        clock.append(line, instant(event));
        line.append('\t').append(level(event).text());
        line.append('\t').append(caller(event.getLoggerName()));
        line.append('\t').append(message(event).replace("\n", "\\n"));
        String fields = fields(event);
        if (!fields.isEmpty()) {
            line.append("\t{").append(fields).append('}');
        }
    }

    /** The fields as members of a JSON object, without its braces. */
    private static String fields(ILoggingEvent event) {
        StringBuilder out = new StringBuilder();
        boolean error = false;
        List<KeyValuePair> pairs = event.getKeyValuePairs();
        if (pairs != null) {
            for (KeyValuePair pair : pairs) {
                appendField(out, pair.key, pair.value);
                error |= pair.key.equals("error");
            }
        }
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown != null) {
            if (!error) {
                String text = thrown.getMessage();
                appendField(out, "error", text == null || text.isEmpty() ? thrown.getClassName() : text);
            }
            if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
                appendField(out, "stacktrace", ThrowableProxyUtil.asString(thrown));
            }
        }
        return out.toString();
    }

    private static void appendField(StringBuilder out, String key, @Nullable Object value) {
        if (!out.isEmpty()) {
            out.append(',');
        }
        JsonText.appendString(out, key);
        out.append(':');
        JsonText.appendValue(out, value);
    }

    private static String message(ILoggingEvent event) {
        String message = event.getFormattedMessage();
        return message == null ? "" : message;
    }

    private static Instant instant(ILoggingEvent event) {
        Instant instant = event.getInstant();
        return instant == null ? Instant.ofEpochMilli(event.getTimeStamp()) : instant;
    }

    static LogLevel level(ILoggingEvent event) {
        List<Marker> markers = event.getMarkerList();
        if (markers != null && markers.contains(LogMarkers.FATAL)) {
            return LogLevel.FATAL;
        }
        if (markers != null && markers.contains(LogMarkers.PANIC)) {
            return LogLevel.PANIC;
        }
        return switch (event.getLevel().toInt()) {
            case Level.ERROR_INT -> LogLevel.ERROR;
            case Level.WARN_INT -> LogLevel.WARN;
            case Level.INFO_INT -> LogLevel.INFO;
            default -> LogLevel.DEBUG;
        };
    }

    /** {@code a.b.server.node.Proposals} becomes {@code node/Proposals.java:0}. */
    private String caller(String logger) {
        String known = callers.get(logger);
        if (known != null) {
            return known;
        }
        int name = logger.lastIndexOf('.');
        String folder = name < 0 ? "" : logger.substring(logger.lastIndexOf('.', name - 1) + 1, name) + "/";
        String caller = folder + logger.substring(name + 1) + ".java:0";
        if (callers.size() < MAX_CALLERS) {
            callers.put(logger, caller);
        }
        return caller;
    }

    /** Callers whose text is kept. */
    int callerCount() {
        return callers.size();
    }

    @Override
    public byte[] headerBytes() {
        return new byte[0];
    }

    @Override
    public byte[] footerBytes() {
        return new byte[0];
    }
}
