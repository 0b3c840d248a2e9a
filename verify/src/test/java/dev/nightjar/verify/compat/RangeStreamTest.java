/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.KVGrpc;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.RangeStreamResponse;
import dev.nightjar.api.mvccpb.KeyValue;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A streamed range: the same answer as at once, in pieces of the right size, at one revision. */
@OnEveryServer
class RangeStreamTest {
    private static final String COMPACTED = "OUT_OF_RANGE: etcdserver: mvcc: required revision has been compacted";

    @RegisterExtension
    final FreshServer fresh;

    RangeStreamTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    private static RangeRequest everything(UnaryOperator<RangeRequest.Builder> options) {
        return options.apply(RangeRequest.newBuilder().setKey(ApiClient.ZERO).setRangeEnd(ApiClient.ZERO))
                .build();
    }

    /** Puts so many keys of one size, named in order after {@code prefix}. */
    private void fill(String prefix, int keys, int valueSize) {
        ByteString value = ByteString.copyFrom(new byte[valueSize]);
        var _ = fresh.api().fill(keys, i -> ApiClient.putRequest("%s%04d".formatted(prefix, i), value));
    }

    private List<RangeResponse> pieces(RangeRequest request) {
        List<RangeResponse> pieces = new ArrayList<>();
        fresh.api().kv().rangeStream(request).forEachRemaining(piece -> pieces.add(piece.getRangeResponse()));
        return pieces;
    }

    /** Joins the pieces of a stream, of which only the last says more than keys. */
    private static RangeResponse join(List<RangeResponse> pieces) {
        RangeResponse.Builder joined = RangeResponse.newBuilder();
        for (RangeResponse piece : pieces.subList(0, pieces.size() - 1)) {
            assertThat(piece.getKvsCount()).isPositive();
            assertThat(piece)
                    .isEqualTo(RangeResponse.newBuilder()
                            .addAllKvs(piece.getKvsList())
                            .build());
        }
        pieces.forEach(joined::mergeFrom);
        assertThat(pieces.getLast().hasHeader()).isTrue();
        return joined.build();
    }

    @Test
    void all_options_give_the_answer_that_they_give_at_once() {
        fill("a", 150, 20);
        fill("b", 40, 30_000);
        long old = fresh.api().revision();
        fill("a", 20, 40_000);
        fill("c", 60, 5);
        var _ = fresh.api().delete("a0050");
        List<UnaryOperator<RangeRequest.Builder>> ranges = List.of(
                all -> all,
                prefix -> prefix.setKey(ByteString.copyFromUtf8("a")).setRangeEnd(ByteString.copyFromUtf8("b")),
                from -> from.setKey(ByteString.copyFromUtf8("b")),
                one -> one.setKey(ByteString.copyFromUtf8("b0001")).clearRangeEnd(),
                none -> none.setKey(ByteString.copyFromUtf8("x")));
        for (UnaryOperator<RangeRequest.Builder> range : ranges) {
            for (int limit : List.of(0, 1, 9, 10, 11, 149, 150, 249, 1000)) {
                for (int options = 0; options < 16; options++) {
                    RangeRequest request = range.apply(everything(RangeRequest.Builder::clone).toBuilder())
                            .setLimit(limit)
                            .setKeysOnly((options & 1) != 0)
                            .setCountOnly((options & 2) != 0)
                            .setRevision((options & 4) != 0 ? old : 0)
                            .setSerializable((options & 8) != 0)
                            .build();
                    RangeResponse joined = join(pieces(request));
                    assertThat(joined)
                            .as("%s", request)
                            .isEqualTo(fresh.api().kv().range(request));
                }
            }
        }
    }

    @Test
    void small_pieces_double_from_ten_keys_on() {
        fill("a", 1000, 10);
        List<Integer> sizes = pieces(everything(all -> all)).stream()
                .map(RangeResponse::getKvsCount)
                .toList();
        assertThat(sizes).containsExactly(10, 20, 40, 80, 160, 320, 370);
        sizes = pieces(everything(all -> all.setLimit(100))).stream()
                .map(RangeResponse::getKvsCount)
                .toList();
        assertThat(sizes).containsExactly(10, 20, 40, 30);
        sizes = pieces(everything(all -> all.setLimit(30))).stream()
                .map(RangeResponse::getKvsCount)
                .toList();
        assertThat(sizes).containsExactly(10, 20);
        assertThat(pieces(everything(all -> all.setCountOnly(true)))).hasSize(1);
        assertThat(pieces(everything(all -> all.setKey(ByteString.copyFromUtf8("x")))))
                .hasSize(1);
    }

    @Test
    void a_long_range_is_at_one_revision_whatever_is_written_meanwhile() {
        fill("k", 3000, 10_000);
        RangeRequest all = everything(request -> request);
        RangeResponse whole = fresh.api().kv().range(all);
        assertThat(whole.getKvsCount()).isEqualTo(3000);
        for (long revision : List.of(0L, fresh.api().revision())) {
            RangeRequest request = all.toBuilder().setRevision(revision).build();
            RangeResponse then = fresh.api()
                    .kv()
                    .range(all.toBuilder()
                            .setRevision(whole.getHeader().getRevision())
                            .build());
            List<RangeResponse> pieces = new ArrayList<>();
            long begin = fresh.api().revision();
            Iterator<RangeStreamResponse> stream = fresh.api().kv().rangeStream(request);
            while (stream.hasNext()) {
                RangeStreamResponse piece = stream.next();
                assertThat(piece.getSerializedSize()).isLessThan(10 << 20);
                pieces.add(piece.getRangeResponse());
                if (revision != 0) {
                    fresh.api().put("k0000", "written meanwhile " + pieces.size());
                    fresh.api().put("new" + pieces.size(), "");
                    var _ = fresh.api().delete("k2999");
                }
            }
            assertThat(pieces).hasSizeGreaterThan(2);
            RangeResponse joined = join(pieces);
            assertThat(joined.getHeader().getRevision()).isEqualTo(begin);
            assertThat(joined.toBuilder().clearHeader().build())
                    .isEqualTo(then.toBuilder().clearHeader().build());
        }
    }

    @Test
    void a_stream_without_a_revision_keeps_the_one_that_it_began_at() {
        fill("k", 1500, 10_000);
        List<KeyValue> before = fresh.api().kv().range(everything(all -> all)).getKvsList();
        long revision = fresh.api().revision();
        List<RangeResponse> pieces = new ArrayList<>();
        Iterator<RangeStreamResponse> stream = fresh.api().kv().rangeStream(everything(all -> all));
        while (stream.hasNext()) {
            pieces.add(stream.next().getRangeResponse());
            fresh.api().put("k1499", "written meanwhile");
            fresh.api().put("l", "new");
        }
        RangeResponse joined = join(pieces);
        assertThat(joined.getKvsList()).isEqualTo(before);
        assertThat(joined.getCount()).isEqualTo(1500);
        assertThat(joined.getHeader().getRevision()).isEqualTo(revision);
    }

    @Test
    void a_compaction_that_passes_the_stream_ends_it() {
        fill("k", 3000, 10_000);
        List<KeyValue> before = fresh.api().kv().range(everything(all -> all)).getKvsList();
        Iterator<RangeStreamResponse> stream = fresh.api().kv().rangeStream(everything(all -> all));
        List<KeyValue> got = new ArrayList<>(stream.next().getRangeResponse().getKvsList());
        fresh.api().put("k0000", "later");
        fresh.api().compact(fresh.api().put("k2999", "later"));
        assertThatThrownBy(() -> stream.forEachRemaining(
                        piece -> got.addAll(piece.getRangeResponse().getKvsList())))
                .hasMessage(COMPACTED);
        assertThat(got).hasSizeBetween(10, 2999).isEqualTo(before.subList(0, got.size()));
    }

    /** etcd sorts each piece and goes on after the last key of it, which is not the greatest: keys come twice or never. */
    @Test
    void a_sort_target_without_an_order_does_not_cost_keys() {
        for (int i = 0; i < 60; i++) {
            fresh.api().put("k%02d".formatted(i), "%02d".formatted(i * 7 % 60));
        }
        RangeResponse sorted = join(pieces(everything(all -> all.setSortTarget(RangeRequest.SortTarget.VALUE))));
        if (fresh.kind() == ServerKind.NIGHTJAR) {
            assertThat(sorted).isEqualTo(fresh.api().kv().range(everything(all -> all)));
        } else {
            assertThat(sorted.getKvsCount()).isNotEqualTo(60);
        }
    }

    /** As an API server of Kubernetes asks. */
    @Test
    void a_stream_may_insist_on_a_leader() {
        fill("a", 30, 10);
        Metadata metadata = new Metadata();
        metadata.put(Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER), "true");
        metadata.put(Metadata.Key.of("client-api-version", Metadata.ASCII_STRING_MARSHALLER), "3.7.0");
        List<RangeResponse> pieces = new ArrayList<>();
        fresh.api()
                .kv()
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
                .rangeStream(everything(all -> all))
                .forEachRemaining(piece -> pieces.add(piece.getRangeResponse()));
        assertThat(join(pieces)).isEqualTo(fresh.api().kv().range(everything(all -> all)));
    }

    @Test
    void a_stream_that_is_given_up_leaves_the_server_as_it_was() {
        fill("k", 1000, 10_000);
        for (int i = 0; i < 100; i++) {
            try (Context.CancellableContext context = Context.current().withCancellation()) {
                context.run(() -> {
                    KVGrpc.KVBlockingStub kv = fresh.api().kv();
                    assertThat(kv.rangeStream(everything(all -> all))
                                    .next()
                                    .getRangeResponse()
                                    .getKvsCount())
                            .isEqualTo(10);
                });
            }
        }
        assertThat(join(pieces(everything(all -> all))).getKvsCount()).isEqualTo(1000);
    }

    @Test
    void large_values_after_many_small_ones_do_not_make_large_pieces() {
        fill("a", 2000, 10);
        for (int i = 0; i < 20; i++) {
            fresh.api().put(ByteString.copyFromUtf8("b%04d".formatted(i)), ByteString.copyFrom(new byte[1_000_000]));
        }
        List<RangeResponse> pieces = pieces(everything(all -> all));
        // etcd goes by the size of the last piece and sends all of these in one.
        if (fresh.kind() == ServerKind.NIGHTJAR) {
            pieces.forEach(piece -> assertThat(piece.getSerializedSize()).isLessThan(4_000_000));
        }
        assertThat(join(pieces).getKvsCount()).isEqualTo(2020);
    }
}
