/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Fails a test class that has lost a buffer: collects what Netty's leak detector, set to watch each buffer, reports. */
final class LeakCheck implements BeforeAllCallback, AfterAllCallback {

    private static final int COLLECTIONS = 3;

    private final ListAppender<ILoggingEvent> reports = new ListAppender<>();

    @Override
    public void beforeAll(ExtensionContext context) {
        watch();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        List<String> leaks = leaks();
        unwatch();
        assertThat(leaks).as("leaked buffers").isEmpty();
    }

    void watch() {
        assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
        reports.start();
        logger().addAppender(reports);
    }

    void unwatch() {
        logger().detachAppender(reports);
    }

    /** What has been reported, after giving the collector and the detector the chance to find more. */
    List<String> leaks() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            ByteBuf probe = ByteBufAllocator.DEFAULT.directBuffer(16);
            probe.release();
        }
        return reports.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(ResourceLeakDetector.class);
    }
}
