/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.Change;
import java.util.List;

/**
 * Where the responses of one watch stream go. Called on the loop that owns the stream's shard, in the order in which
 * the client is to see them; the sink encodes at once and keeps no reference to its arguments.
 */
public interface WatchSink {

    /** Whether the stream takes more event bytes now: its window is open and its queue is within the byte budget. */
    boolean isWritable();

    void created(long watchId, long revision);

    /** A create that was refused: {@code created} and {@code canceled} are both set and the watch id is -1. */
    void rejected(String reason, long revision);

    /** The answer to a cancel request. */
    void canceled(long watchId, long revision);

    /** The watcher was overtaken by compaction. */
    void compacted(long watchId, long compactRevision);

    /** A bookmark; {@code watchId} -1 speaks for all watchers of the stream. */
    void progress(long watchId, long revision);

    /**
     * Events of one watcher.
     *
     * @param changes at least one, in order; whole revisions unless {@code fragment}
     * @param withPrevious whether {@code prev_kv} is to be attached
     * @param fragment whether more parts of the same response follow
     */
    void events(long watchId, long headerRevision, List<Change> changes, boolean withPrevious, boolean fragment);

    /** The engine has written all that it has for this stream in this turn: send it on. */
    void flush();
}
