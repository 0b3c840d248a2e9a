/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

/**
 * Where the responses of one watch stream go. Called on the loop that owns the stream's shard, in the order in which
 * the client is to see them; the sink encodes at once and keeps no reference to its arguments. From within a call it may
 * call {@link WatchStream#close()} and {@link WatchStream#writable()} of its own stream, and nothing else of the engine.
 */
public interface WatchSink {

    /**
     * Whether the stream takes more event bytes now: its window is open and its queue is within the byte budget. Once it
     * has answered false, the sink owes the stream a call of {@link WatchStream#writable()}.
     */
    boolean isWritable();

    /** Size of the header field of an encoded response with this revision; 0 if there will be none. */
    int headerBytes(long revision);

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
     * Events of one watcher. All parts of one response come without another call between them.
     *
     * @param batch whole revisions, unless this is a part of a response
     * @param fragment whether more parts of the same response follow
     */
    void events(long watchId, long headerRevision, EventBatch batch, boolean fragment);

    /**
     * Begins the response of one watcher to one revision, whose events come in parts. Until the last one {@link
     * #isWritable} is false, and what is said of other watchers is kept back by the sink.
     *
     * @param fragment whether each part is a message of its own
     * @param eventBytes size of all events if they are one message
     */
    void beginLong(long watchId, long headerRevision, boolean fragment, long eventBytes);

    /** Whether the next part is welcome. Once it has answered false, the sink owes the stream as for {@link #isWritable}. */
    boolean takesPart();

    /** The next part of the response that was begun. */
    void part(EventBatch batch, boolean last);

    /** The engine has written all that it has for this stream in this turn: send it on. */
    void flush();

    /**
     * The stream cannot be served any more: history could not be read, or this sink threw. All its watchers are gone;
     * the call is to end as an internal error, so that the client asks elsewhere.
     */
    void fail(Throwable cause);
}
