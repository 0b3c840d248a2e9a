/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import java.text.MessageFormat;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Sends what libraries log through java.util.logging to our log, which would else be the one kind of line on stderr that
 * is not ours. Any thread. Java makes an instance when such a library first logs, see {@link Logging}; until then it
 * costs nothing.
 */
public final class JulBridge extends Handler {

    /** Called by Java in place of reading its logging configuration. */
    public JulBridge() {
        java.util.logging.Logger root = LogManager.getLogManager().getLogger("");
        if (root != null) {
            root.setLevel(Level.INFO);
            root.addHandler(this);
        }
    }

    @Override
    public void publish(@Nullable LogRecord record) {
        if (record == null) {
            return;
        }
        String name = record.getLoggerName();
        Logger logger = LoggerFactory.getLogger(name == null || name.isEmpty() ? "java.util.logging" : name);
        LoggingEventBuilder event = builder(logger, record.getLevel().intValue());
        Throwable thrown = record.getThrown();
        if (thrown != null) {
            event = event.setCause(thrown);
        }
        event.log(text(record));
    }

    private static LoggingEventBuilder builder(Logger logger, int level) {
        if (level >= Level.SEVERE.intValue()) {
            return logger.atError();
        }
        if (level >= Level.WARNING.intValue()) {
            return logger.atWarn();
        }
        return level >= Level.INFO.intValue() ? logger.atInfo() : logger.atDebug();
    }

    private static String text(LogRecord record) {
        String message = record.getMessage();
        if (message == null) {
            return "";
        }
        Object[] parameters = record.getParameters();
        if (parameters == null || parameters.length == 0) {
            return message;
        }
        try {
            return MessageFormat.format(message, parameters);
        } catch (IllegalArgumentException e) {
            return message; // a message with braces of its own is better shown as it is than not at all
        }
    }

    @Override
    public void flush() {
        // each line is flushed by our log
    }

    @Override
    public void close() {
        // nothing is held
    }
}
