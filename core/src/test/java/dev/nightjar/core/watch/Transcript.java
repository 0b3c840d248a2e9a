/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A sink that writes each response as a line of text, and takes as many as the test allows. */
final class Transcript implements WatchSink {
    static final int UNLIMITED = Integer.MAX_VALUE;

    private final String name;
    private final Consumer<String> lines;
    private int room = UNLIMITED;
    private boolean owesWritable;
    private int unflushed;
    private @Nullable RuntimeException failure;
    private Runnable duringEvents = () -> {};
    private final List<String> keptBack = new ArrayList<>();
    private boolean isLong;
    private boolean fragments;
    private String longPrefix = "";

    Transcript(String name, Consumer<String> lines) {
        this.name = name;
        this.lines = lines;
    }

    /** Takes so many more responses with events; returns whether the stream is owed a word. */
    boolean room(int responses) {
        room = responses;
        boolean owed = owesWritable && room > 0;
        if (owed) {
            owesWritable = false;
        }
        return owed;
    }

    /** Does something in the middle of the next response with events. */
    void onEvents(Runnable action) {
        duringEvents = action;
    }

    void breakDown(RuntimeException cause) {
        failure = cause;
    }

    /** Responses written since the last flush. */
    int unflushed() {
        return unflushed;
    }

    @Override
    public boolean isWritable() {
        owesWritable |= isLong;
        return takesPart() && !isLong;
    }

    @Override
    public boolean takesPart() {
        owesWritable |= room <= 0;
        return room > 0;
    }

    @Override
    public void beginLong(long watchId, long headerRevision, boolean fragment, long eventBytes) {
        isLong = true;
        fragments = fragment;
        longPrefix = watchId + " @" + headerRevision + (fragment ? "" : " (" + eventBytes + ")");
    }

    @Override
    public void part(EventBatch batch, boolean last) {
        written();
        String text = longPrefix + text(batch) + (last ? "" : fragments ? " ..." : " +");
        isLong = false;
        line(text);
        isLong = !last;
        longPrefix = fragments ? longPrefix : "   ";
        if (last) {
            keptBack.forEach(this::line);
            keptBack.clear();
        }
    }

    @Override
    public int headerBytes(long revision) {
        return 0;
    }

    @Override
    public void created(long watchId, long revision) {
        line(watchId + " created @" + revision);
    }

    @Override
    public void rejected(String reason, long revision) {
        line("-1 created canceled @" + revision + " \"" + reason + "\"");
    }

    @Override
    public void canceled(long watchId, long revision) {
        line(watchId + " canceled @" + revision);
    }

    @Override
    public void compacted(long watchId, long compactRevision) {
        line(watchId + " canceled @0 compact_revision " + compactRevision);
    }

    @Override
    public void progress(long watchId, long revision) {
        line(watchId + " progress @" + revision);
    }

    @Override
    public void events(long watchId, long headerRevision, EventBatch batch, boolean fragment) {
        written();
        line(watchId + " @" + headerRevision + text(batch) + (fragment ? " ..." : ""));
    }

    private void written() {
        if (failure != null) {
            throw failure;
        }
        if (room != UNLIMITED) {
            room--;
        }
        duringEvents.run();
    }

    private static String text(EventBatch batch) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < batch.size(); i++) {
            Change change = batch.change(i);
            text.append(i == 0 ? " " : "; ").append(change.delete() ? "DELETE " : "PUT ");
            text.append(StoredValue.decode(change.keyValue()));
            byte[] previous = batch.previous(i);
            if (previous != null) {
                text.append(" was ").append(StoredValue.decode(previous));
            }
        }
        return text.toString();
    }

    @Override
    public void flush() {
        unflushed = 0;
    }

    @Override
    public void fail(Throwable cause) {
        line("failed: " + cause.getMessage());
        flush();
    }

    private void line(String text) {
        if (isLong) {
            keptBack.add(text);
            return;
        }
        unflushed++;
        lines.accept(name + " " + text);
    }
}
