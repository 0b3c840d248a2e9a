/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import dev.nightjar.server.config.LogLevel;
import dev.nightjar.server.config.ServerConfig;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.TimeZone;
import org.slf4j.LoggerFactory;

/**
 * Sets up the log of a server process. Called once, by the main thread, before anything logs; an embedded server leaves
 * logging to its host. All is done in code: no search for configuration files, which costs time and lets a stray file on
 * the class path change what tools wait for.
 */
public final class Logging {
    private Logging() {}

    /** Makes {@code config} hold for this process, for lines of java.util.logging, too. */
    public static void start(ServerConfig.Log config) throws IOException {
        System.setProperty("slf4j.provider", LogProvider.class.getName());
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        System.setProperty("java.util.logging.config.class", JulBridge.class.getName());
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            throw new IllegalStateException("another logging system was chosen before: "
                    + LoggerFactory.getILoggerFactory().getClass().getName());
        }
        configure(context, config);
    }

    /** Makes {@code config} hold for all loggers of {@code context}. */
    static void configure(LoggerContext context, ServerConfig.Log config) throws IOException {
        context.reset();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(threshold(config.level()));
        // What libraries tell is about themselves, and more than what we tell: one level graver than ours.
        Level library = config.level() == LogLevel.DEBUG ? Level.INFO : Level.WARN;
        context.getLogger("io.netty").setLevel(stricter(root.getLevel(), library));
        context.getLogger("com.alipay.sofa").setLevel(stricter(root.getLevel(), library));
        // Warns at each first start that there is no snapshot yet.
        context.getLogger("com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotStorage")
                .setLevel(Level.ERROR);
        for (String output : config.outputs()) {
            root.addAppender(appender(context, config, open(output)));
        }
    }

    private static OutputStreamAppender<ILoggingEvent> appender(
            LoggerContext context, ServerConfig.Log config, OutputStream stream) {
        LineEncoder encoder = new LineEncoder(config.format(), new LogClock(TimeZone.getDefault()));
        encoder.setContext(context);
        encoder.start();
        LogSampler sampler = new LogSampler(config.level());
        sampler.setContext(context);
        sampler.start();
        OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
        appender.setContext(context);
        appender.setName("log");
        appender.setEncoder(encoder);
        appender.addFilter(sampler);
        appender.setOutputStream(stream);
        appender.start();
        return appender;
    }

    private static OutputStream open(String output) throws IOException {
        return switch (output) {
            case "stderr" -> new FileOutputStream(FileDescriptor.err);
            case "stdout" -> new FileOutputStream(FileDescriptor.out);
            default -> new FileOutputStream(output, true);
        };
    }

    private static Level stricter(Level a, Level b) {
        return a.isGreaterOrEqual(b) ? a : b;
    }

    private static Level threshold(LogLevel level) {
        return switch (level) {
            case DEBUG -> Level.DEBUG;
            case INFO -> Level.INFO;
            case WARN -> Level.WARN;
            case ERROR, PANIC, FATAL -> Level.ERROR;
        };
    }
}
