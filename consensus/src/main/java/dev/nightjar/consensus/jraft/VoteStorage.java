/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.EnumOutter.ErrorType;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import com.alipay.sofa.jraft.option.RaftMetaStorageOptions;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import dev.nightjar.consensus.log.SegmentedLog;
import dev.nightjar.consensus.log.StateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The term and the member voted for in it: 8 bytes and the member's name as text. Owned by whoever holds the engine's write
 * lock. A term or vote that cannot be made durable stops the member: it might vote twice.
 */
final class VoteStorage implements RaftMetaStorage {
    private static final Logger LOG = LoggerFactory.getLogger(VoteStorage.class);

    private final StateFile file;
    private final Consumer<Throwable> onFailure;
    private boolean found;
    private long term;
    private PeerId votedFor = PeerId.emptyPeer();
    private @Nullable NodeImpl node;

    private VoteStorage(StateFile file, Consumer<Throwable> onFailure) {
        this.file = file;
        this.onFailure = onFailure;
    }

    /** Reads the vote of the last run, if there was one. */
    static VoteStorage open(StateFile file, Consumer<Throwable> onFailure) throws IOException {
        VoteStorage storage = new VoteStorage(file, onFailure);
        byte @Nullable [] content = file.read();
        storage.found = content != null;
        if (content != null) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            if (bytes.remaining() < Long.BYTES) {
                throw new IOException(file.describe() + " is too short");
            }
            storage.term = bytes.getLong();
            String name = StandardCharsets.UTF_8.decode(bytes).toString();
            if (!storage.votedFor.parse(name)) {
                throw new IOException(file.describe() + " names no member: " + name);
            }
        }
        return storage;
    }

    /**
     * Compares with the log: no entry is written in a term before that term is durable here.
     *
     * @throws IOException if the file is missing or not the one that belongs to the log; this member might vote twice
     */
    void check(SegmentedLog log) throws IOException {
        if (!found && (log.firstIndex() > 1 || log.recoveredTerm() > 0)) {
            throw new IOException(file.describe() + " is missing, but there is a log that this member has voted for");
        }
        if (log.recoveredTerm() > term) {
            throw new IOException(file.describe() + " is of term " + term + ", but the log holds entries of term "
                    + log.recoveredTerm());
        }
    }

    @Override
    public boolean init(RaftMetaStorageOptions options) {
        node = options.getNode();
        return true;
    }

    @Override
    public void shutdown() {
        node = null;
    }

    @Override
    public boolean setTerm(long newTerm) {
        return setTermAndVotedFor(newTerm, votedFor);
    }

    @Override
    public long getTerm() {
        return term;
    }

    @Override
    public boolean setVotedFor(PeerId peer) {
        return setTermAndVotedFor(term, peer);
    }

    @Override
    public PeerId getVotedFor() {
        return votedFor;
    }

    @Override
    public boolean setTermAndVotedFor(long newTerm, PeerId peer) {
        byte[] name = peer.toString().getBytes(StandardCharsets.UTF_8);
        try {
            file.write(ByteBuffer.allocate(Long.BYTES + name.length)
                    .putLong(newTerm)
                    .put(name)
                    .array());
        } catch (IOException e) {
            LOG.error("could not write term {} and vote", newTerm, e);
            onFailure.accept(e);
            NodeImpl running = node;
            if (running != null) {
                running.onError(new RaftException(ErrorType.ERROR_TYPE_META, RaftError.EIO, "cannot write the vote"));
            }
            return false;
        }
        term = newTerm;
        votedFor = peer.copy();
        return true;
    }
}
