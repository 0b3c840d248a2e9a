/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.JRaftServiceFactory;
import com.alipay.sofa.jraft.entity.codec.LogEntryCodecFactory;
import com.alipay.sofa.jraft.entity.codec.v2.LogEntryV2CodecFactory;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.LogStorage;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import com.alipay.sofa.jraft.storage.SnapshotStorage;
import com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotStorage;

/**
 * Hands our open log and vote file to the engine; snapshots are the engine's own.
 *
 * @param log the member's log
 * @param vote the member's vote
 */
record StorageFactory(LogStorage log, RaftMetaStorage vote) implements JRaftServiceFactory {

    @Override
    public LogStorage createLogStorage(String uri, RaftOptions options) {
        return log;
    }

    @Override
    public RaftMetaStorage createRaftMetaStorage(String uri, RaftOptions options) {
        return vote;
    }

    @Override
    public SnapshotStorage createSnapshotStorage(NodeOptions options) {
        return new LocalSnapshotStorage(options.getSnapshotUri(), null, options.getRaftOptions());
    }

    @Override
    public LogEntryCodecFactory createLogEntryCodecFactory() {
        return LogEntryV2CodecFactory.getInstance();
    }
}
