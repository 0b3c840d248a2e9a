/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.api.etcdserverpb.Member;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.apply.CommandType;
import dev.nightjar.core.apply.Result;
import dev.nightjar.core.cluster.MemberRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Tells all members this member's name and addresses, again and again until that is replicated. Owned by the ticker. */
final class SelfPublication {
    /** Between two tries: about what an election takes at best. */
    private static final long PAUSE_MILLIS = 100;

    private final Member self;
    private final MemberId id;
    private final MemberRegistry members;
    private final Consumer<PendingWrite> log;
    private final ScheduledExecutorService ticker;
    private final CompletableFuture<Void> published = new CompletableFuture<>();

    SelfPublication(
            Member self,
            MemberId id,
            MemberRegistry members,
            Consumer<PendingWrite> log,
            ScheduledExecutorService ticker) {
        this.self = self;
        this.id = id;
        this.members = members;
        this.log = log;
        this.ticker = ticker;
    }

    /** Completes when it is replicated, or exceptionally when the member stops before. */
    CompletableFuture<Void> published() {
        return published;
    }

    void begin() {
        log.accept(PendingWrite.of(CommandType.MEMBER_SET, told().toByteArray(), ticker, this::ended));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // ends with the ticker
    private void ended(Result result) {
        if (!(result instanceof Result.Failed failed)) {
            published.complete(null);
        } else if (failed.error() == ApiError.STOPPED) {
            published.completeExceptionally(
                    new IllegalStateException(failed.error().text()));
        } else {
            ticker.schedule(this::begin, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** What the others are to know: addresses among members are kept as they are once they are replicated. */
    private Member told() {
        Member.Builder told = self.toBuilder().setID(id.value());
        for (Member known : members.all()) {
            if (known.getID() == id.value()) {
                told.clearPeerURLs().addAllPeerURLs(known.getPeerURLsList());
            }
        }
        return told.build();
    }
}
