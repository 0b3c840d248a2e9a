/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.nightjar.verify.driver.Commands;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.Peers;
import dev.nightjar.verify.driver.ProcessOutput;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ToolCache;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** etcdctl 3.7.3 as users call it, and what it prints. */
@OnEveryServer
@Tag("go")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class EtcdctlTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @RegisterExtension
    final FreshServer fresh;

    @TempDir
    Path directory = Path.of("");

    EtcdctlTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void put_and_get() {
        assertThat(ctl("put", "k", "1")).isEqualTo("OK\n");
        assertThat(ctl("put", "k", "2", "--prev-kv")).isEqualTo("OK\nk\n1\n");
        assertThat(ctl("get", "k")).isEqualTo("k\n2\n");
        assertThat(ctl("get", "k", "--print-value-only")).isEqualTo("2\n");
        assertThat(ctl("get", "none")).isEmpty();
    }

    @Test
    void get_with_options() {
        for (String pair : List.of("p/c=1", "p/a=3", "p/b=2", "q=0")) {
            var _ = ctl("put", pair.split("=", 2)[0], pair.split("=", 2)[1]);
        }
        var _ = ctl("put", "p/b", "4");
        assertThat(ctl("get", "p/", "--prefix", "--keys-only")).isEqualTo("p/a\n\np/b\n\np/c\n\n");
        assertThat(ctl("get", "p/", "--prefix", "--limit=2")).isEqualTo("p/a\n3\np/b\n4\n");
        assertThat(ctl("get", "p/", "--prefix", "--rev=4")).isEqualTo("p/a\n3\np/b\n2\np/c\n1\n");
        assertThat(ctl("get", "p/", "--prefix", "--sort-by=VALUE", "--order=DESCEND"))
                .isEqualTo("p/b\n4\np/a\n3\np/c\n1\n");
        assertThat(ctl("get", "p/", "--prefix", "--sort-by=CREATE", "--order=ASCEND"))
                .isEqualTo("p/c\n1\np/a\n3\np/b\n4\n");
        assertThat(ctl("get", "p/b", "--from-key", "--print-value-only")).isEqualTo("4\n1\n0\n");
        assertThat(ctl("get", "p/", "--prefix", "--count-only", "--write-out=fields"))
                .contains("\"Count\" : 3\n");
        assertThat(ctl("get", "p/a", "p/c", "--consistency=s")).isEqualTo("p/a\n3\np/b\n4\n");
        assertThat(ctl("get", "p/", "--prefix", "--stream")).isEqualTo("p/a\n3\np/b\n4\np/c\n1\n");
        assertThat(ctl("get", "p/", "--prefix", "--min-mod-rev=5")).isEqualTo("p/b\n4\n");
    }

    @Test
    void get_as_json() {
        var _ = ctl("put", "k", "v");
        JsonObject answer =
                JsonParser.parseString(ctl("get", "k", "-w", "json")).getAsJsonObject();
        JsonObject header = answer.getAsJsonObject("header");
        assertThat(header.get("revision").getAsLong()).isEqualTo(2);
        assertThat(header.get("cluster_id").getAsBigInteger()).isPositive();
        assertThat(header.get("member_id").getAsBigInteger()).isPositive();
        assertThat(header.get("raft_term").getAsLong()).isPositive();
        assertThat(answer.get("kvs").toString())
                .isEqualTo(
                        "[{\"key\":\"aw==\",\"create_revision\":2,\"mod_revision\":2,\"version\":1,\"value\":\"dg==\"}]");
        assertThat(answer.get("count").getAsLong()).isEqualTo(1);
    }

    @Test
    void delete() {
        var _ = ctl("put", "a", "1");
        var _ = ctl("put", "b", "2");
        assertThat(ctl("del", "a", "--prev-kv")).isEqualTo("1\na\n1\n");
        assertThat(ctl("del", "a")).isEqualTo("0\n");
        assertThat(ctl("del", "", "--from-key")).isEqualTo("1\n");
    }

    @Test
    void txn() throws IOException {
        var _ = ctl("put", "k", "1");
        Path script = directory.resolve("txn");
        Files.writeString(script, "value(\"k\") = \"1\"\n\nput k 2\nget k\n\nput k 3\n\n");
        assertThat(ctlWithInput(script, "txn")).isEqualTo("SUCCESS\n\nOK\n\nk\n2\n");
        assertThat(ctlWithInput(script, "txn")).isEqualTo("FAILURE\n\nOK\n");
        assertThat(ctl("get", "k")).isEqualTo("k\n3\n");
    }

    @Test
    void watch_from_a_revision() throws IOException {
        var _ = ctl("put", "w", "1");
        var _ = ctl("put", "w", "2");
        var _ = ctl("del", "w");
        try (Running watch = new Running("watch", "w", "--rev=2", "--prev-kv")) {
            assertThat(watch.lines(13))
                    .containsExactly("PUT", "w", "1", "PUT", "w", "1", "w", "2", "DELETE", "w", "2", "w", "");
            var _ = ctl("put", "w", "3");
            assertThat(watch.lines(16)).endsWith("PUT", "w", "3");
        }
    }

    /** Commands run beside the printing of events, so that only what is printed is certain, not in which order. */
    @Test
    void watch_a_prefix_and_run_a_command_for_each_event() throws IOException {
        var _ = ctl("put", "p/a", "1");
        var _ = ctl("put", "q", "1");
        var _ = ctl("put", "p/b", "2");
        String command = "echo at $ETCD_WATCH_KEY";
        try (Running watch = new Running("watch", "p/", "--prefix", "--rev=1", "--", "sh", "-c", command)) {
            assertThat(watch.lines(8))
                    .containsExactlyInAnyOrder("PUT", "p/a", "1", "at \"p/a\"", "PUT", "p/b", "2", "at \"p/b\"");
        }
    }

    /** An etcdctl that does not end by itself. */
    private final class Running implements AutoCloseable {
        private final Process process;
        private final ProcessOutput output;

        Running(String... arguments) throws IOException {
            process = new ProcessBuilder(command(arguments))
                    .redirectErrorStream(true)
                    .start();
            output = new ProcessOutput(process, directory.resolve("running"));
        }

        List<String> lines(int count) {
            return output.awaitLines(count, LIMIT);
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    @Test
    void compaction() {
        var _ = ctl("put", "k", "1");
        var _ = ctl("put", "k", "2");
        assertThat(ctl("compaction", "3", "--physical")).isEqualTo("compacted revision 3\n");
        assertThat(failing("compaction", "2"))
                .contains("Error: etcdserver: mvcc: required revision has been compacted");
        assertThat(failing("compaction", "9"))
                .contains("Error: etcdserver: mvcc: required revision is a future revision");
        assertThat(failing("get", "k", "--rev=2"))
                .contains("Error: etcdserver: mvcc: required revision has been compacted");
        assertThat(failing("watch", "k", "--rev=2")).contains("required revision has been compacted");
    }

    @Test
    void endpoint_health() {
        assertThat(failsafe("endpoint", "health"))
                .contains(fresh.server().endpoint() + " is healthy: successfully committed proposal: took = ");
        JsonObject health = JsonParser.parseString(ctl("endpoint", "health", "-w", "json"))
                .getAsJsonArray()
                .get(0)
                .getAsJsonObject();
        assertThat(health.get("health").getAsBoolean()).isTrue();
        assertThat(ctl("endpoint", "health", "-w", "table")).contains("true");
    }

    @Test
    void endpoint_status() {
        JsonObject status = JsonParser.parseString(ctl("endpoint", "status", "-w", "json"))
                .getAsJsonArray()
                .get(0)
                .getAsJsonObject()
                .getAsJsonObject("Status");
        assertThat(status.get("version").getAsString()).isEqualTo("3.7.3");
        assertThat(status.get("dbSize").getAsLong()).isPositive();
        assertThat(status.get("leader").getAsBigInteger())
                .isEqualTo(status.getAsJsonObject("header").get("member_id").getAsBigInteger());
        assertThat(status.get("raftIndex").getAsLong()).isPositive();
        assertThat(status.get("raftAppliedIndex").getAsLong()).isPositive();
        assertThat(ctl("endpoint", "status")).startsWith(fresh.server().endpoint() + ", ");
        assertThat(ctl("endpoint", "status", "-w", "table")).contains("ENDPOINT", "3.7.3", "true");
        assertThat(ctl("endpoint", "hashkv")).startsWith(fresh.server().endpoint() + ", ");
    }

    @Test
    void history_and_disk_space_are_given_up() {
        var _ = ctl("put", "a", "1");
        var _ = ctl("put", "a", "2");
        assertThat(ctl("compaction", "--physical", "3")).isEqualTo("compacted revision 3\n");
        assertThat(ctl("endpoint", "hashkv", "-w", "json")).contains("\"compact_revision\":3", "\"hash_revision\":3");
        assertThat(ctl("defrag"))
                .startsWith(
                        "Finished defragmenting etcd member[" + fresh.server().endpoint() + "]. took ");
        assertThat(ctl("alarm", "list")).isEmpty();
        assertThat(ctl("alarm", "disarm")).isEmpty();
    }

    @Test
    void member_list() {
        String simple = ctl("member", "list");
        String peer = "http://127\\.0\\.0\\.1:[0-9]+";
        assertThat(simple)
                .matches("[0-9a-f]+, started, verify, " + peer + ", http://"
                        + fresh.server().endpoint() + ", false\n");
        assertThat(ctl("member", "list", "-w", "table"))
                .contains("started", "verify", fresh.server().endpoint());
        JsonArray members = JsonParser.parseString(ctl("member", "list", "-w", "json"))
                .getAsJsonObject()
                .getAsJsonArray("members");
        assertThat(members).hasSize(1);
        JsonObject member = members.get(0).getAsJsonObject();
        assertThat(member.get("name").getAsString()).isEqualTo("verify");
        assertThat(simple).startsWith(member.get("ID").getAsBigInteger().toString(16) + ", ");
    }

    private String ctl(String... arguments) {
        Commands.Result result = attempt(arguments);
        assertThat(result.exitCode())
                .as(() -> String.join(" ", arguments) + "\n" + result.errors())
                .isZero();
        return result.output();
    }

    /** The standard error of a call that must fail. */
    private String failing(String... arguments) {
        Commands.Result result = attempt(arguments);
        assertThat(result.exitCode()).as(() -> String.join(" ", arguments)).isNotZero();
        return result.errors() + result.output();
    }

    /** Everything that a call prints which must succeed. */
    private String failsafe(String... arguments) {
        Commands.Result result = attempt(arguments);
        assertThat(result.exitCode()).as(result.errors()).isZero();
        return result.errors() + result.output();
    }

    private Commands.Result attempt(String... arguments) {
        return Commands.attempt(ToolCache.module(), LIMIT, command(arguments), Map.of());
    }

    private List<String> command(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Peers.etcdctl().toString());
        command.add("--endpoints=" + fresh.server().endpoint());
        command.addAll(List.of(arguments));
        return command;
    }

    private String ctlWithInput(Path input, String... arguments) {
        List<String> command = List.of("sh", "-c", "exec \"$@\" < \"$0\"", input.toString());
        List<String> all = new ArrayList<>(command);
        all.addAll(command(arguments));
        Commands.Result result = Commands.attempt(ToolCache.module(), LIMIT, all, Map.of());
        assertThat(result.exitCode()).as(result.errors()).isZero();
        return result.output();
    }
}
