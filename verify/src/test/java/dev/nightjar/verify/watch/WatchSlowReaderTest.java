/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.verify.check.History;
import dev.nightjar.verify.check.Operation;
import dev.nightjar.verify.check.StreamLog;
import dev.nightjar.verify.check.WatchChecks;
import dev.nightjar.verify.check.WatchLog;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients that stop reading: they may fall behind and may lose their watch to a compaction, but never a part of it. */
@OnEveryServer
class WatchSlowReaderTest {
    private static final String END = "k/end";

    @RegisterExtension
    final FreshServer fresh;

    private final ServerKind kind;
    private final History history = new History();
    private final StreamLog log = new StreamLog();

    WatchSlowReaderTest(ServerKind kind) {
        this.kind = kind;
        fresh = new FreshServer(kind);
    }

    @Test
    void a_reader_that_comes_back_gets_every_event_once() {
        try (WatchCall call = WatchCall.openUnread(fresh.api())) {
            create(call, 30);
            puts(600, 10_000);
            readAll(call);
        }
        WatchChecks.assertKept(List.of(log), history);
        assertThat(log.watches()).hasSize(30).noneMatch(WatchLog::isCanceled);
    }

    @Test
    void reading_in_bursts_between_writes_repeats_nothing() {
        try (WatchCall call = WatchCall.openUnread(fresh.api())) {
            create(call, 100);
            for (int burst = 0; burst < 5; burst++) {
                puts(100, 1_000);
                readSome(call, 500);
            }
            readAll(call);
        }
        WatchChecks.assertKept(List.of(log), history);
        assertThat(log.watches()).hasSize(100).noneMatch(WatchLog::isCanceled);
    }

    @Test
    void a_reader_overtaken_by_a_compaction_gets_an_unbroken_beginning_and_then_one_end() {
        try (WatchCall call = WatchCall.openUnread(fresh.api())) {
            create(call, 20);
            // More than a server may hold in memory of its recent history.
            puts(2000, 32_000);
            long compacted = history.revision() - 10;
            fresh.api().compact(compacted);
            history.compacted(compacted);
            readAll(call);
        }
        WatchChecks.assertKept(List.of(log), history);
        assertThat(log.watches()).hasSize(20).anyMatch(WatchLog::isCanceled);
    }

    @Test
    void an_event_that_had_to_wait_arrives_though_a_compaction_has_passed_it() {
        puts(1, 10);
        try (WatchCall call = WatchCall.openUnread(fresh.api())) {
            create(call, 1);
            puts(400, 20_000);
            long deleted = history.revision() + 1;
            var _ = fresh.api().delete("k/0");
            history.apply(deleted, Operation.delete("k/0"));
            puts(1, 10);
            fresh.api().compact(history.revision());
            history.compacted(history.revision());
            readAll(call);
        }
        WatchChecks.assertKept(List.of(log), history);
        assertThat(log.watches().getFirst().events())
                .filteredOn(event -> event.getType() == Event.EventType.DELETE)
                // etcd leaves out a previous value that is below the compacted revision when the event is sent.
                .singleElement()
                .matches(event ->
                        kind == ServerKind.ETCD || event.getPrevKv().getValue().size() == 20_000);
    }

    @Test
    void other_streams_do_not_wait_for_a_reader_that_stopped() {
        try (WatchCall stopped = WatchCall.openUnread(fresh.api());
                WatchCall call = WatchCall.open(fresh.api())) {
            for (int i = 0; i < 10; i++) {
                stopped.create(WatchCall.prefix("k/"));
            }
            var watch = watch();
            log.asked(watch.build());
            call.create(watch);
            log.accept(call.next());
            for (int i = 0; i < 300; i++) {
                puts(1, 10_000);
                log.accept(call.next());
            }
        }
        WatchChecks.assertKept(List.of(log), history);
        assertThat(log.watches().getFirst().events()).hasSize(300);
    }

    /** Creates watches, reading only their answers. */
    private void create(WatchCall call, int count) {
        for (int i = 0; i < count; i++) {
            var watch = watch();
            log.asked(watch.build());
            call.create(watch);
            call.read(1);
            log.accept(call.next());
        }
    }

    private static WatchCreateRequest.Builder watch() {
        return WatchCall.prefix("k/").setPrevKv(true);
    }

    private void puts(int count, int size) {
        for (int i = 0; i < count; i++) {
            ByteString key = ByteString.copyFromUtf8("k/" + i % 5);
            byte[] bytes = new byte[size];
            bytes[0] = (byte) i;
            ByteString value = ByteString.copyFrom(bytes);
            history.apply(fresh.api().put(key, value), new Operation.Put(key, value));
        }
    }

    /** Reads so many responses, or fewer if events come in larger batches. */
    private void readSome(WatchCall call, int count) {
        call.read(count);
        for (int i = 0; i < count; i++) {
            var response = call.nextWithin(Duration.ofMillis(300));
            if (response.isEmpty()) {
                return;
            }
            log.accept(response.get());
        }
    }

    /** Writes a last key and reads until every watch has seen it or has ended. */
    private void readAll(WatchCall call) {
        long end = fresh.api().put(END, "");
        history.apply(end, Operation.put(END, ""));
        call.read(Integer.MAX_VALUE);
        while (!log.watches().stream().allMatch(watch -> watch.isCanceled() || watch.lastKnownRevision() == end)) {
            WatchResponse response = call.next();
            log.accept(response);
        }
    }
}
