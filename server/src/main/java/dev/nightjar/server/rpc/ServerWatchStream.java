/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchRequest;
import dev.nightjar.core.watch.EventBatch;
import dev.nightjar.core.watch.WatchCreate;
import dev.nightjar.core.watch.WatchShard;
import dev.nightjar.core.watch.WatchSink;
import dev.nightjar.core.watch.WatchStream;
import dev.nightjar.core.watch.WatcherQuota;
import dev.nightjar.server.rpc.WatchEncoder.Flags;
import dev.nightjar.wire.RawCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One Watch RPC: requests in, responses out. Owned by its loop, like the {@link WatchShard} behind it.
 *
 * <p>All that the engine has for the stream in one turn of the loop is written into one buffer and given to the call as
 * one piece. While the call takes no more, the engine keeps the events back (see {@link #isWritable}) and further
 * requests are not read, so that their answers cannot pile up either.
 */
final class ServerWatchStream implements RawCall.Listener, WatchSink {
    /** Bytes of a turn after which the buffer is passed on: while it is still in the processor's cache. */
    private static final int PASS_ON_BYTES = 32 * 1024;

    private static final int MIN_CAPACITY_BYTES = 128;

    /** About what a part of a long response takes, with an event that is as large as a value may be by default. */
    private static final int PART_BYTES = 2 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(ServerWatchStream.class);

    private final RawCall call;
    private final WatchEncoder encoder;
    private final WatchStream stream;
    private @Nullable ByteBuf out;
    private @Nullable Unfinished unfinished;
    private boolean retrying;
    private long headerRevision;
    private @Nullable EventHead head;
    private int capacityBytes = MIN_CAPACITY_BYTES;

    /** A response that is sent in parts, each a message of its own or a piece of one. Nothing else is sent meanwhile. */
    private record Unfinished(long watchId, EventHead head, boolean fragment, int eventBytes, boolean begun) {
        Unfinished goesOn() {
            return new Unfinished(watchId, head, fragment, eventBytes, true);
        }
    }

    ServerWatchStream(RawCall call, WatchEncoder encoder, WatchShard shard, WatcherQuota quota) {
        this.call = call;
        this.encoder = encoder;
        this.stream = shard.openStream(this, quota);
    }

    @Override
    public void onMessage(ByteBuf message) {
        WatchRequest request;
        try {
            request = WatchRequest.parseFrom(message.nioBuffer());
        } catch (InvalidProtocolBufferException e) {
            end(Messages.malformed(e));
            return;
        }
        switch (request.getRequestUnionCase()) {
            case CREATE_REQUEST -> stream.create(toCreate(request.getCreateRequest()));
            case CANCEL_REQUEST -> stream.cancel(request.getCancelRequest().getWatchId());
            case PROGRESS_REQUEST -> stream.requestProgress();
            case REQUESTUNION_NOT_SET -> LOG.warn("ignored a watch request that asks for nothing");
        }
        flush();
        if (!isWritable()) {
            call.read(false);
        }
    }

    @Override
    public void onHalfClose() {
        // The client has no more requests; its watchers stay until it cancels the call or goes away.
    }

    @Override
    public void onCancel(Status status) {
        close();
    }

    @Override
    public void onWritable() {
        if (unfinished == null) {
            call.read(true);
        }
        stream.writable();
        flush();
    }

    private void end(Status status) {
        close();
        call.finish(status, new Metadata());
    }

    private void close() {
        stream.close();
        unfinished = null;
        if (out != null) {
            out.release();
            out = null;
        }
    }

    private static WatchCreate toCreate(WatchCreateRequest request) {
        boolean noPut = request.getFiltersList().contains(WatchCreateRequest.FilterType.NOPUT);
        boolean noDelete = request.getFiltersList().contains(WatchCreateRequest.FilterType.NODELETE);
        return new WatchCreate(
                bytes(request.getKey()),
                bytes(request.getRangeEnd()),
                request.getStartRevision(),
                request.getWatchId(),
                new WatchCreate.Options(
                        request.getProgressNotify(), noPut, noDelete, request.getPrevKv(), request.getFragment()));
    }

    private static byte[] bytes(ByteString string) {
        return string.toByteArray();
    }

    // What the engine says, in order.

    /** Asked for each watcher, so the call is not: what it says does not change before it is given the buffer. */
    @Override
    public boolean isWritable() {
        ByteBuf current = out;
        return unfinished == null
                && ((current != null && current.readableBytes() < PASS_ON_BYTES) || call.isWritable());
    }

    @Override
    public void created(long watchId, long revision) {
        encoder.control(buffer(), watchId, revision, Flags.CREATED);
    }

    @Override
    public void rejected(String reason, long revision) {
        encoder.control(buffer(), -1, revision, Flags.rejected(reason));
    }

    @Override
    public void canceled(long watchId, long revision) {
        encoder.control(buffer(), watchId, revision, Flags.CANCELED);
    }

    @Override
    public void compacted(long watchId, long compactRevision) {
        encoder.control(buffer(), watchId, 0, Flags.compacted(compactRevision));
    }

    @Override
    public void progress(long watchId, long revision) {
        encoder.control(buffer(), watchId, revision, Flags.PROGRESS);
    }

    @Override
    public void events(long watchId, long headerRevision, EventBatch batch, boolean fragment) {
        encoder.events(buffer(), watchId, head(headerRevision), batch, fragment);
    }

    private EventHead head(long revision) {
        EventHead current = head;
        if (current == null || revision != headerRevision) {
            headerRevision = revision;
            current = encoder.head(revision);
            head = current;
        }
        return current;
    }

    /** No more requests are read until the end, as their answers would have to wait for it. */
    @Override
    public void beginLong(long watchId, long headerRevision, boolean fragment, long eventBytes) {
        flush();
        unfinished = new Unfinished(watchId, head(headerRevision), fragment, Math.toIntExact(eventBytes), false);
        call.read(false);
    }

    @Override
    public boolean takesPart() {
        if (!call.isWritable()) {
            return false;
        }
        if (call.hasMemoryFor(PART_BYTES)) {
            return true;
        }
        if (!retrying) {
            retrying = true;
            Retry.later(call, () -> {
                retrying = false;
                stream.writable();
                flush();
            });
        }
        return false;
    }

    @Override
    public void part(EventBatch batch, boolean last) {
        Unfinished current = Objects.requireNonNull(unfinished);
        ByteBuf part = call.buffer(MIN_CAPACITY_BYTES + Math.toIntExact(batch.encodedBytes()));
        if (current.fragment) {
            encoder.events(part, current.watchId, current.head, batch, !last);
            call.send(part);
        } else {
            if (!current.begun) {
                current.head.write(part, current.watchId, false, current.eventBytes);
            }
            encoder.part(part, batch);
            call.sendPart(part, !current.begun);
        }
        unfinished = last ? null : current.goesOn();
        if (last && call.isWritable()) {
            call.read(true);
        }
    }

    @Override
    public int headerBytes(long revision) {
        return encoder.headerBytes(revision);
    }

    @Override
    public void fail(Throwable cause) {
        LOG.atError().setCause(cause).log("a watch stream cannot be served any more");
        end(Status.INTERNAL.withDescription("watch stream failed: " + cause.getMessage()));
    }

    private ByteBuf buffer() {
        ByteBuf current = out;
        if (current != null && current.readableBytes() >= PASS_ON_BYTES) {
            flush();
            current = out;
        }
        if (current == null) {
            current = call.buffer(capacityBytes);
            out = current;
        }
        return current;
    }

    @Override
    public void flush() {
        ByteBuf filled = out;
        if (filled != null && unfinished == null) {
            out = null;
            // The next turn is likely to be of the same kind: a buffer that fits need not grow.
            capacityBytes = Math.clamp(filled.readableBytes(), MIN_CAPACITY_BYTES, 2 * PASS_ON_BYTES);
            call.send(filled);
        }
    }
}
