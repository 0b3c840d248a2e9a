/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.common.exception.CompactedException;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.CompactOption;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** jetcd, the client for Java. */
@OnEveryServer
class JetcdTest {
    private static final long LIMIT_SECONDS = 60;

    @RegisterExtension
    final FreshServer fresh;

    private @Nullable Client client;
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    JetcdTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @BeforeEach
    void connect() {
        client = Client.builder()
                .endpoints("http://" + fresh.server().endpoint())
                .build();
    }

    @AfterEach
    void disconnect() {
        client().close();
    }

    private Client client() {
        return Objects.requireNonNull(client);
    }

    private KV kv() {
        return client().getKVClient();
    }

    @Test
    void put_and_get() throws Exception {
        long revision = put("a", "1");
        var second = get(kv().put(
                        bytes("a"), bytes("2"), PutOption.builder().withPrevKV().build()));
        assertThat(text(second.getPrevKv())).isEqualTo("a=1");
        KeyValue kv = get(kv().get(bytes("a"))).getKvs().getFirst();
        assertThat(text(kv)).isEqualTo("a=2");
        assertThat(kv.getCreateRevision()).isEqualTo(revision);
        assertThat(kv.getModRevision()).isEqualTo(revision + 1);
        assertThat(kv.getVersion()).isEqualTo(2);
    }

    @Test
    void get_with_options() throws Exception {
        put("g/c", "1");
        put("g/a", "3");
        long past = put("g/b", "2");
        put("g/b", "4");
        assertThat(range(GetOption.builder())).isEqualTo("g/a=3 g/b=4 g/c=1");
        assertThat(range(GetOption.builder().withLimit(2))).isEqualTo("g/a=3 g/b=4");
        assertThat(range(GetOption.builder().withRevision(past))).isEqualTo("g/a=3 g/b=2 g/c=1");
        assertThat(range(GetOption.builder()
                        .withSortField(GetOption.SortTarget.VALUE)
                        .withSortOrder(GetOption.SortOrder.DESCEND)))
                .isEqualTo("g/b=4 g/a=3 g/c=1");
        assertThat(range(GetOption.builder().withKeysOnly(true))).isEqualTo("g/a= g/b= g/c=");
        assertThat(range(GetOption.builder().withCountOnly(true))).isEmpty();
    }

    private String range(GetOption.Builder option) throws Exception {
        GetResponse response = get(kv().get(bytes("g/"), option.isPrefix(true).build()));
        assertThat(response.getCount()).isEqualTo(3);
        return String.join(" ", response.getKvs().stream().map(JetcdTest::text).toList());
    }

    @Test
    void delete() throws Exception {
        put("d/a", "1");
        put("d/b", "2");
        var all = DeleteOption.builder().isPrefix(true).withPrevKV(true).build();
        var deleted = get(kv().delete(bytes("d/"), all));
        assertThat(deleted.getDeleted()).isEqualTo(2);
        assertThat(deleted.getPrevKvs().stream().map(JetcdTest::text)).containsExactly("d/a=1", "d/b=2");
        assertThat(get(kv().delete(bytes("d/"), all)).getDeleted()).isZero();
    }

    @Test
    void txn() throws Exception {
        put("t", "1");
        TxnResponse yes = transact();
        TxnResponse no = transact();
        assertThat(yes.isSucceeded()).isTrue();
        assertThat(text(yes.getGetResponses().getFirst().getKvs().getFirst())).isEqualTo("t=2");
        assertThat(no.isSucceeded()).isFalse();
        assertThat(text(no.getGetResponses().getFirst().getKvs().getFirst())).isEqualTo("t=2");
    }

    private TxnResponse transact() throws Exception {
        Op read = Op.get(bytes("t"), GetOption.DEFAULT);
        return get(kv().txn()
                .If(new Cmp(bytes("t"), Cmp.Op.EQUAL, CmpTarget.value(bytes("1"))))
                .Then(Op.put(bytes("t"), bytes("2"), PutOption.DEFAULT), read)
                .Else(read)
                .commit());
    }

    @Test
    void watch_from_now_and_cancel() throws Exception {
        try (Watch.Watcher _ = watch("n", WatchOption.builder().withCreateNotify(true))) {
            assertThat(next()).isEqualTo("created");
            put("n", "1");
            put("other", "1");
            get(kv().delete(bytes("n")));
            assertThat(next()).isEqualTo("PUT n=1");
            assertThat(next()).isEqualTo("DELETE n=");
        }
        assertThat(next()).isEqualTo("completed");
        put("n", "2");
        assertThat(told.poll(300, TimeUnit.MILLISECONDS)).isNull();
    }

    @Test
    void watch_a_prefix_from_a_revision_with_previous_values() throws Exception {
        long start = put("p/a", "1");
        put("p/a", "2");
        put("q", "3");
        var option = WatchOption.builder().isPrefix(true).withRevision(start).withPrevKV(true);
        try (Watch.Watcher _ = watch("p/", option)) {
            assertThat(next()).isEqualTo("PUT p/a=1");
            assertThat(next()).isEqualTo("PUT p/a=2 was p/a=1");
            put("p/b", "4");
            assertThat(next()).isEqualTo("PUT p/b=4");
        }
    }

    @Test
    void a_watcher_is_asked_for_its_progress() throws Exception {
        try (Watch.Watcher watcher = watch("n", WatchOption.builder().withCreateNotify(true))) {
            assertThat(next()).isEqualTo("created");
            long revision = put("other", "1");
            watcher.requestProgress();
            assertThat(next()).isEqualTo("progress " + revision);
        }
    }

    @Test
    void compaction() throws Exception {
        long old = put("c", "1");
        long now = put("c", "2");
        get(kv().compact(now, CompactOption.builder().withCompactPhysical(true).build()));
        assertThatThrownBy(() -> get(kv().compact(now)))
                .hasMessageContaining("etcdserver: mvcc: required revision has been compacted");
        assertThatThrownBy(() -> get(kv().get(
                                bytes("c"),
                                GetOption.builder().withRevision(old).build())))
                .hasMessageContaining("etcdserver: mvcc: required revision has been compacted");
        try (Watch.Watcher _ = watch("c", WatchOption.builder().withRevision(old))) {
            assertThat(next()).isEqualTo("compacted at " + now);
        }
    }

    private Watch.Watcher watch(String key, WatchOption.Builder option) {
        return client().getWatchClient()
                .watch(
                        bytes(key),
                        option.build(),
                        Watch.listener(
                                response -> {
                                    if (response.isCreatedNotify()) {
                                        told.add("created");
                                    } else if (response.isProgressNotify()) {
                                        told.add("progress "
                                                + response.getHeader().getRevision());
                                    }
                                    response.getEvents().forEach(event -> told.add(text(event)));
                                },
                                failure -> told.add(text(failure)),
                                () -> told.add("completed")));
    }

    private String next() throws InterruptedException {
        String next = told.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("the watch said nothing for " + LIMIT_SECONDS + " s");
        }
        return next;
    }

    private static String text(WatchEvent event) {
        String was = event.getPrevKV().getKey().isEmpty() ? "" : " was " + text(event.getPrevKV());
        return event.getEventType() + " " + text(event.getKeyValue()) + was;
    }

    private static String text(Throwable failure) {
        return failure instanceof CompactedException compacted
                ? "compacted at " + compacted.getCompactedRevision()
                : failure.toString();
    }

    private static String text(KeyValue kv) {
        return kv.getKey().toString(UTF_8) + "=" + kv.getValue().toString(UTF_8);
    }

    private long put(String key, String value) throws Exception {
        return get(kv().put(bytes(key), bytes(value))).getHeader().getRevision();
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, UTF_8);
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
}
