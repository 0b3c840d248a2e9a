/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.AlarmType;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.core.apply.CommandType;
import dev.nightjar.core.cluster.AlarmRegistry;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Refuses writes for which the store or its disk has no room, and tells all members so by an alarm. Any thread. */
final class StoreQuota {
    private static final Logger LOG = LoggerFactory.getLogger(StoreQuota.class);

    private final long quotaBytes;
    private final BooleanSupplier diskIsFull;
    private final LongSupplier sizeBytes;
    private final AlarmRegistry alarms;
    private final MemberId id;
    private final Consumer<PendingWrite> log;
    private final Executor ticker;
    private final AtomicBoolean raising = new AtomicBoolean();

    StoreQuota(
            long quotaBytes,
            BooleanSupplier diskIsFull,
            LongSupplier sizeBytes,
            AlarmRegistry alarms,
            MemberId id,
            Consumer<PendingWrite> log,
            Executor ticker) {
        this.quotaBytes = quotaBytes;
        this.diskIsFull = diskIsFull;
        this.sizeBytes = sizeBytes;
        this.alarms = alarms;
        this.id = id;
        this.log = log;
        this.ticker = ticker;
    }

    /** Whether a write of this cost has to be refused; the first refusal raises the alarm. */
    boolean refuses(long costBytes) {
        boolean hasRoom = !diskIsFull.getAsBoolean() && sizeBytes.getAsLong() + costBytes < quotaBytes;
        if (costBytes == 0 || hasRoom) {
            return false;
        }
        if (!alarms.isRaised(AlarmType.NOSPACE) && raising.compareAndSet(false, true)) {
            ticker.execute(this::raiseAlarm);
        }
        return true;
    }

    private void raiseAlarm() {
        LOG.atWarn()
                .addKeyValue("current-db-size-bytes", sizeBytes.getAsLong())
                .addKeyValue("quota-size-bytes", quotaBytes)
                .log(
                        diskIsFull.getAsBoolean()
                                ? "the disk is full; raising alarm"
                                : "exceeded backend quota; raising alarm");
        AlarmRequest request = AlarmRequest.newBuilder()
                .setAction(AlarmRequest.AlarmAction.ACTIVATE)
                .setMemberID(id.value())
                .setAlarm(AlarmType.NOSPACE)
                .build();
        log.accept(PendingWrite.of(CommandType.ALARM, request.toByteArray(), ticker, result -> raising.set(false)));
    }
}
