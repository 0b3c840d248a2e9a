/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.conf.ConfigurationEntry;
import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.error.LogEntryCorruptedException;
import com.alipay.sofa.jraft.option.LogStorageOptions;
import com.alipay.sofa.jraft.storage.LogStorage;
import dev.nightjar.consensus.log.LogRecord;
import dev.nightjar.consensus.log.SegmentedLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Our log as the engine wants to see it. Changed by the engine's log thread, read by any thread. Every error is final: it is
 * reported once to {@code onFailure}, and the answer to the engine makes it stop.
 */
final class LogStorageAdapter implements LogStorage {
    private static final Logger LOG = LoggerFactory.getLogger(LogStorageAdapter.class);

    private static final byte NO_OP = 1;
    private static final byte CONFIGURATION = 2;

    private final SegmentedLog log;
    private final List<LogEntry> configurations;
    private final Consumer<Throwable> onFailure;
    private final Runnable onMembers;

    /**
     * Wraps an open log.
     *
     * @param configurations the configuration entries that were found in it
     * @param onMembers called when the members may have changed
     */
    LogStorageAdapter(
            SegmentedLog log, List<LogEntry> configurations, Consumer<Throwable> onFailure, Runnable onMembers) {
        this.log = log;
        this.onMembers = onMembers;
        this.configurations = configurations;
        this.onFailure = onFailure;
    }

    @Override
    public boolean init(LogStorageOptions options) {
        for (LogEntry entry : configurations) {
            Configuration old = entry.getOldPeers() == null
                    ? new Configuration()
                    : new Configuration(entry.getOldPeers(), entry.getOldLearners());
            options.getConfigurationManager()
                    .add(new ConfigurationEntry(
                            entry.getId(), new Configuration(entry.getPeers(), entry.getLearners()), old));
        }
        configurations.clear();
        return true;
    }

    @Override
    public void shutdown() {
        // Whoever opened the log closes it.
    }

    @Override
    public long getFirstLogIndex() {
        return log.firstIndex();
    }

    @Override
    public long getLastLogIndex() {
        return log.lastIndex();
    }

    @Override
    public @Nullable LogEntry getEntry(long index) {
        try {
            LogRecord entry = log.read(index);
            return entry == null ? null : toEntry(entry);
        } catch (IOException | RuntimeException e) {
            onFailure.accept(e);
            throw new LogEntryCorruptedException(e.getMessage(), e);
        }
    }

    @Override
    @Deprecated
    @SuppressWarnings("InlineMeSuggester") // the engine's interface has it so
    public long getTerm(long index) {
        LogEntry entry = getEntry(index);
        return entry == null ? 0 : entry.getId().getTerm();
    }

    @Override
    public boolean appendEntry(LogEntry entry) {
        return appendEntries(List.of(entry)) == 1;
    }

    @Override
    public int appendEntries(List<LogEntry> entries) {
        List<LogRecord> records = new ArrayList<>(entries.size());
        for (LogEntry entry : entries) {
            records.add(toRecord(entry));
            if (entry.getType() == EntryType.ENTRY_TYPE_CONFIGURATION) {
                onMembers.run();
            }
        }
        return succeeds(() -> log.append(records)) ? entries.size() : 0;
    }

    @Override
    public boolean truncatePrefix(long firstIndexKept) {
        return succeeds(() -> log.truncatePrefix(firstIndexKept));
    }

    @Override
    public boolean truncateSuffix(long lastIndexKept) {
        onMembers.run();
        return succeeds(() -> log.truncateSuffix(lastIndexKept));
    }

    @Override
    public boolean reset(long nextLogIndex) {
        return succeeds(() -> log.reset(nextLogIndex));
    }

    private boolean succeeds(Step step) {
        try {
            step.run();
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.error("the consensus log failed", e);
            onFailure.accept(e);
            return false;
        }
    }

    private static LogRecord toRecord(LogEntry entry) {
        LogId id = entry.getId();
        return switch (entry.getType()) {
            case ENTRY_TYPE_DATA -> new LogRecord(id.getIndex(), id.getTerm(), LogRecord.COMMAND, dataOf(entry));
            case ENTRY_TYPE_CONFIGURATION ->
                new LogRecord(id.getIndex(), id.getTerm(), CONFIGURATION, ConfigurationCodec.encode(entry));
            case ENTRY_TYPE_NO_OP -> new LogRecord(id.getIndex(), id.getTerm(), NO_OP, dataOf(entry));
            case ENTRY_TYPE_UNKNOWN -> throw new IllegalArgumentException("entry of unknown type: " + id);
        };
    }

    private static ByteBuffer dataOf(LogEntry entry) {
        ByteBuffer data = entry.getData();
        return data == null ? LogEntry.EMPTY_DATA : data;
    }

    /** The engine's form of an entry of the log. */
    static LogEntry toEntry(LogRecord entry) {
        LogEntry result = new LogEntry(
                switch (entry.type()) {
                    case LogRecord.COMMAND -> EntryType.ENTRY_TYPE_DATA;
                    case NO_OP -> EntryType.ENTRY_TYPE_NO_OP;
                    case CONFIGURATION -> EntryType.ENTRY_TYPE_CONFIGURATION;
                    default ->
                        throw new IllegalArgumentException(
                                "entry " + entry.index() + " is of unknown type " + entry.type());
                });
        result.setId(new LogId(entry.index(), entry.term()));
        if (entry.type() == CONFIGURATION) {
            ConfigurationCodec.decode(entry.payload(), result);
        } else {
            result.setData(entry.payload());
        }
        return result;
    }

    /** A change of the log. */
    private interface Step {
        void run() throws IOException;
    }
}
