/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.mvcc.Change;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A sink that holds every response against the full history of the store and the promises of the API: ordered, unique,
 * without gaps, whole revisions, true bookmarks, right previous values, nothing after an end.
 */
final class CheckedSink implements WatchSink {
    /** What the client knows of one watcher. */
    static final class Client {
        final long id;
        final WatchCreate request;
        final KeyRange range;
        final long firstRevision;
        private final long compactedAtStart;
        private int seen; // changes of the log that are delivered or not wanted
        private long lastRevision;
        private long lastProgress;

        private Client(long id, WatchCreate request, KeyRange range, long firstRevision, long compactedAtStart) {
            this.id = id;
            this.request = request;
            this.range = range;
            this.firstRevision = firstRevision;
            this.compactedAtStart = compactedAtStart;
        }

        private boolean wants(Change change) {
            return change.revision() >= firstRevision
                    && range.contains(change.key())
                    && !(change.delete()
                            ? request.options().noDelete()
                            : request.options().noPut());
        }
    }

    private final MemoryStore store;
    private final Map<Long, Client> clients = new HashMap<>();
    private final Set<Long> ended = new HashSet<>();
    private final ArrayDeque<WatchCreate> creating = new ArrayDeque<>();
    private int room = Transcript.UNLIMITED;
    private boolean owesWritable;
    private @Nullable Client inFragments;
    private @Nullable Client inLong;
    private long longHeader;
    private long longBytes;
    private boolean longBegun;
    long longParts;
    private boolean unflushed;
    long delivered;
    long cancels;
    long bookmarks;

    CheckedSink(MemoryStore store) {
        this.store = store;
    }

    Map<Long, Client> clients() {
        return clients;
    }

    /** Ids that ended by compaction and were not yet canceled by the client. */
    Set<Long> ended() {
        return ended;
    }

    void creating(WatchCreate request) {
        creating.add(request);
    }

    boolean room(int responses) {
        room = responses;
        boolean owed = owesWritable && room > 0;
        owesWritable &= !owed;
        return owed;
    }

    void endOfTask() {
        assertThat(unflushed).as("everything is flushed when a task ends").isFalse();
        assertThat(inFragments).as("no response is left unfinished").isNull();
    }

    /** Everything that is published was delivered to everyone. */
    void assertComplete() {
        clients.values()
                .forEach(client -> assertThat(nextWanted(client))
                        .as("undelivered of watcher %d from %d", client.id, client.firstRevision)
                        .isNull());
    }

    @Override
    public boolean isWritable() {
        owesWritable |= inLong != null;
        return takesPart() && inLong == null;
    }

    @Override
    public boolean takesPart() {
        owesWritable |= room <= 0;
        return room > 0;
    }

    @Override
    public void beginLong(long watchId, long headerRevision, boolean fragment, long eventBytes) {
        assertThat(isWritable()).isTrue();
        Client client = known(watchId);
        assertThat(fragment).isEqualTo(client.request.options().fragment());
        inLong = client;
        longHeader = headerRevision;
        longBytes = fragment ? -1 : eventBytes;
        longBegun = false;
    }

    /** A watcher that is canceled in the middle gets the rest before it hears of that. */
    @Override
    public void part(EventBatch batch, boolean last) {
        Client client = Objects.requireNonNull(inLong);
        assertThat(room).as("parts only while writable").isPositive();
        room -= room == Transcript.UNLIMITED ? 0 : 1;
        written();
        longParts++;
        if (!longBegun) {
            assertThat(batch.firstRevision()).isGreaterThan(Math.max(client.lastRevision, client.lastProgress));
            longBegun = true;
        } else {
            assertThat(batch.firstRevision()).isEqualTo(client.lastRevision);
        }
        assertThat(longHeader).isBetween(batch.lastRevision(), store.publishedRevision());
        for (int i = 0; i < batch.size(); i++) {
            event(client, batch.change(i), batch.previous(i));
        }
        if (longBytes >= 0) {
            longBytes -= batch.encodedBytes();
            assertThat(longBytes).as("what is still to come").isGreaterThanOrEqualTo(0);
            assertThat(longBytes == 0).isEqualTo(last);
        }
        if (last) {
            inLong = null;
            wholeRevision(client);
        }
    }

    @Override
    public int headerBytes(long revision) {
        return 10;
    }

    @Override
    public void created(long watchId, long revision) {
        written();
        WatchCreate request = creating.remove();
        assertThat(revision).isEqualTo(store.publishedRevision());
        assertThat(request.watchId()).isIn(0L, watchId);
        KeyRange range = KeyRange.of(request.key(), request.rangeEnd());
        assertThat(range).isNotNull();
        long first = request.startRevision() == 0 ? revision + 1 : request.startRevision();
        Client client = new Client(watchId, request, Objects.requireNonNull(range), first, store.compactedRevision());
        assertThat(clients.put(watchId, client)).isNull();
        ended.remove(watchId);
    }

    @Override
    public void rejected(String reason, long revision) {
        written();
        WatchCreate request = creating.remove();
        boolean deserved = request.startRevision() < 0
                || KeyRange.of(request.key(), request.rangeEnd()) == null
                || request.watchId() == -1
                || clients.containsKey(request.watchId());
        assertThat(deserved).as(reason).isTrue();
    }

    @Override
    public void canceled(long watchId, long revision) {
        written();
        assertThat(clients.remove(watchId) != null || ended.remove(watchId)).isTrue();
        assertThat(revision).isEqualTo(store.publishedRevision());
    }

    @Override
    public void compacted(long watchId, long compactRevision) {
        written();
        cancels++;
        Client client = known(watchId);
        clients.remove(watchId);
        ended.add(watchId);
        assertThat(compactRevision).isEqualTo(store.compactedRevision());
        assertThat(Math.max(client.firstRevision, client.lastProgress + 1)).isLessThan(compactRevision);
        assertThat(client.lastRevision + 1).isLessThan(compactRevision);
    }

    @Override
    public void progress(long watchId, long revision) {
        written();
        bookmarks++;
        assertThat(room).as("progress only while writable").isPositive();
        assertThat(inLong).as("a long response is contiguous").isNull();
        assertThat(revision).isLessThanOrEqualTo(store.publishedRevision());
        if (watchId == WatchStream.NO_WATCHER) {
            assertThat(clients).isNotEmpty();
            clients.values().forEach(client -> progress(client, revision));
        } else {
            progress(known(watchId), revision);
        }
    }

    private void progress(Client client, long revision) {
        assertThat(revision).isGreaterThanOrEqualTo(client.lastProgress).isGreaterThanOrEqualTo(client.lastRevision);
        assertThat(revision).isGreaterThanOrEqualTo(client.request.startRevision());
        assertThat(revision).isGreaterThanOrEqualTo(client.firstRevision - 1);
        client.lastProgress = revision;
        Change next = nextWanted(client);
        assertThat(next == null || next.revision() > revision)
                .as("bookmark %d of watcher %d before an event", revision, client.id)
                .isTrue();
    }

    @Override
    public void events(long watchId, long headerRevision, EventBatch batch, boolean fragment) {
        Client client = known(watchId);
        assertThat(inLong).as("a long response is contiguous").isNull();
        if (inFragments == null) {
            assertThat(room).as("events only while writable").isPositive();
            assertThat(batch.firstRevision())
                    .as("a revision is in one response")
                    .isGreaterThan(Math.max(client.lastRevision, client.lastProgress));
            room -= room == Transcript.UNLIMITED ? 0 : 1;
        } else {
            assertThat(inFragments).as("parts are contiguous").isSameAs(client);
        }
        assertThat(fragment && !client.request.options().fragment()).isFalse();
        inFragments = null;
        written();
        inFragments = fragment ? client : null;
        assertThat(headerRevision).isBetween(batch.lastRevision(), store.publishedRevision());
        for (int i = 0; i < batch.size(); i++) {
            event(client, batch.change(i), batch.previous(i));
        }
        if (!fragment) {
            wholeRevision(client);
        }
    }

    private void wholeRevision(Client client) {
        Change next = nextWanted(client);
        assertThat(next == null || next.revision() > client.lastRevision)
                .as("a response ends with a whole revision")
                .isTrue();
    }

    private void event(Client client, Change change, byte @Nullable [] previous) {
        Change expected = nextWanted(client);
        if (expected == null) {
            throw new AssertionError("watcher " + client.id + " is to get nothing, got " + change.revision());
        }
        assertThat(change.revision()).isEqualTo(expected.revision()).isLessThanOrEqualTo(store.publishedRevision());
        assertThat(change.key()).isEqualTo(expected.key());
        assertThat(change.keyValue()).isEqualTo(expected.keyValue());
        assertThat(change.delete()).isEqualTo(expected.delete());
        client.seen++;
        client.lastRevision = change.revision();
        delivered++;
        byte[] truth = store.valueAt(change.key(), change.revision() - 1);
        if (previous != null) {
            assertThat(client.request.options().previous()).isTrue();
            assertThat(change.revision() - 1).isGreaterThanOrEqualTo(client.compactedAtStart);
            assertThat(previous).isEqualTo(truth);
        } else if (client.request.options().previous() && truth != null) {
            assertThat(change.revision() - 1)
                    .as("a previous value may be missing only if it is compacted")
                    .isLessThan(store.compactedRevision());
        }
    }

    /** The next change that the client is to get, null if it has all that is published. */
    private @Nullable Change nextWanted(Client client) {
        while (client.seen < store.log().size()) {
            Change change = store.log().get(client.seen);
            if (change.revision() > store.publishedRevision()) {
                return null;
            }
            if (client.wants(change)) {
                return change;
            }
            client.seen++;
        }
        return null;
    }

    @Override
    public void flush() {
        assertThat(inFragments).as("parts are contiguous").isNull();
        unflushed = false;
    }

    @Override
    public void fail(Throwable cause) {
        throw new AssertionError("stream failed", cause);
    }

    private Client known(long watchId) {
        Client client = clients.get(watchId);
        if (client == null) {
            throw new AssertionError("there is no watcher " + watchId);
        }
        return client;
    }

    private void written() {
        assertThat(inFragments).as("parts are contiguous").isNull();
        unflushed = true;
    }
}
