/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.Change;
import dev.nightjar.core.mvcc.ChangeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One shared, bounded scan for a group of unsynced watchers. Made on the loop, run once on the loop or a history
 * reader, and handed back to the loop; whoever runs it looks at nothing of a watcher but what never changes.
 */
final class CatchUpPass {
    private final List<Member> members = new ArrayList<>();
    private final Gathering<Member> found;
    private final long from;
    private final int changesLimit;
    private final long bytesLimit;
    private boolean withPrevious;
    private RangeIndex<Member> index = new RangeIndex<>();
    private final ChangeSource source;
    private final ChangeSource.Visitor visitor = this::visit;
    private final Consumer<RangeSet<Member>> collector = this::collect;
    private long walked;
    private int changes;
    private long bytes;
    private boolean matched;
    private @Nullable Change current;
    private long end;
    private @Nullable Throwable failure;

    /** A watcher as it was when the pass was made. */
    static final class Member extends RangeMember<Member> {
        final Watcher watcher;
        private final long nextRevision;

        Member(Watcher watcher) {
            super(new RangeSet<>(watcher.set));
            this.watcher = watcher;
            nextRevision = watcher.nextRevision();
        }
    }

    /** @param from smallest revision that any of its watchers lacks */
    CatchUpPass(
            long from, int changesLimit, long bytesLimit, WatchLimits.Revision revisionLimits, ChangeSource source) {
        this.from = from;
        this.changesLimit = changesLimit;
        this.bytesLimit = bytesLimit;
        this.source = source;
        found = new Gathering<>(revisionLimits);
        end = from;
    }

    /** Adds a watcher that wants nothing below {@link #from}; before the pass is run. */
    void add(Watcher watcher) {
        members.add(new Member(watcher));
        withPrevious |= watcher.has(Watcher.PREVIOUS);
    }

    List<Member> members() {
        return members;
    }

    /** Reads from the recent history if it reaches back far enough, else from the store. */
    void run(EventHistory history) {
        try {
            members.forEach(this::index);
            read(history);
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        index = new RangeIndex<>();
    }

    private void index(Member member) {
        index.add(member);
        long before = member.set.wantedFrom;
        member.set.wantedFrom = before == 0 ? member.nextRevision : Math.min(before, member.nextRevision);
    }

    private void read(EventHistory history) {
        long to = source.publishedRevision();
        end = history.read(from, to, visitor);
        if (end == EventHistory.GONE) {
            end = source.scan(from, to, visitor);
            boolean compacted = source.compactedRevision() > from;
            if (end <= from && !compacted) {
                throw new IllegalStateException("history of revision " + from + " is missing");
            }
            if (compacted) {
                // Compaction may have taken changes away under the scan: what it brought is no whole history.
                end = from;
            }
        }
        if (walked >= end) {
            found.truncate(end);
        }
    }

    private boolean visit(Change change) {
        if (change.revision() != walked) {
            if (changes >= changesLimit || bytes >= bytesLimit) {
                return false;
            }
            walked = change.revision();
        }
        changes++;
        current = change;
        matched = false;
        index.match(change.key(), collector);
        if (matched) {
            bytes += change.keyValue().length;
            if (withPrevious) {
                bytes += preparePrevious(change);
            }
        }
        return true;
    }

    /** Reads a small previous value here rather than on the loop; returns its length, or that of one that is not kept. */
    private int preparePrevious(Change change) {
        int length = source.previousLength(change);
        if (length >= 0 && length <= EventHistory.previousAllowance(change)) {
            var _ = Matches.previousOf(change, source);
        }
        return Math.max(0, length);
    }

    private void collect(RangeSet<Member> set) {
        matched |= found.add(set, Objects.requireNonNull(current));
    }

    long from() {
        return from;
    }

    /** First revision that was not read completely. */
    long end() {
        return end;
    }

    int changes() {
        return changes;
    }

    long matchedBytes() {
        return bytes;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }
}
