/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.MemberListRequest;
import dev.nightjar.api.etcdserverpb.MemberListResponse;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.ResponseHeader;
import dev.nightjar.api.etcdserverpb.StatusRequest;
import dev.nightjar.api.etcdserverpb.StatusResponse;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The header of every answer: which cluster, which member, in which term, at which revision. */
@OnEveryServer
class HeaderTest {
    private static final ByteString KEY = ByteString.copyFromUtf8("k");

    @RegisterExtension
    final FreshServer fresh;

    HeaderTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void headers_name_the_cluster_the_member_and_the_term() {
        StatusResponse status = status(fresh.api());
        MemberListResponse members = fresh.api().cluster().memberList(MemberListRequest.getDefaultInstance());
        assertThat(status.getHeader().getClusterId())
                .isNotZero()
                .isEqualTo(members.getHeader().getClusterId());
        assertThat(status.getHeader().getMemberId())
                .isEqualTo(members.getMembers(0).getID())
                .isEqualTo(members.getHeader().getMemberId());
        assertThat(status.getRaftTerm()).isPositive();
        assertThat(members.getHeader().getRevision()).isZero();
        List<ResponseHeader> headers = headers(fresh.api());
        assertThat(headers).extracting(ResponseHeader::getRevision).containsExactly(2L, 2L, 2L, 3L, 4L, 4L, 4L, 4L, 4L);
        for (ResponseHeader header : headers) {
            assertThat(header)
                    .isEqualTo(status.getHeader().toBuilder()
                            .setRevision(header.getRevision())
                            .build());
            assertThat(header.getRaftTerm()).isEqualTo(status.getRaftTerm());
        }
    }

    /** One header of each kind of request, in the order in which they are made on a store at revision 1. */
    private static List<ResponseHeader> headers(ApiClient api) {
        RangeRequest range = RangeRequest.newBuilder().setKey(KEY).build();
        PutRequest put = PutRequest.newBuilder().setKey(KEY).build();
        List<ResponseHeader> headers = new ArrayList<>();
        headers.add(api.kv().put(put).getHeader());
        headers.add(api.kv().range(range).getHeader());
        headers.add(api.kv().rangeStream(range).next().getRangeResponse().getHeader());
        headers.add(api.kv()
                .deleteRange(DeleteRangeRequest.newBuilder().setKey(KEY).build())
                .getHeader());
        headers.add(api.kv()
                .txn(TxnRequest.newBuilder()
                        .addSuccess(RequestOp.newBuilder().setRequestPut(put))
                        .build())
                .getHeader());
        headers.add(api.kv()
                .txn(TxnRequest.newBuilder()
                        .addSuccess(RequestOp.newBuilder().setRequestRange(range))
                        .build())
                .getHeader());
        headers.add(api.kv()
                .compact(CompactionRequest.newBuilder().setRevision(3).build())
                .getHeader());
        headers.add(api.maintenance().alarm(AlarmRequest.getDefaultInstance()).getHeader());
        headers.add(status(api).getHeader());
        return headers;
    }

    @Test
    void after_a_restart_the_term_is_a_later_one_and_the_rest_as_before() {
        ResponseHeader before = fresh.api()
                .kv()
                .put(PutRequest.newBuilder().setKey(KEY).build())
                .getHeader();
        fresh.server().kill();
        fresh.server().start();
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            ResponseHeader after = api.kv()
                    .range(RangeRequest.newBuilder().setKey(KEY).build())
                    .getHeader();
            assertThat(after.getRaftTerm()).isGreaterThan(before.getRaftTerm());
            assertThat(after.toBuilder().setRaftTerm(before.getRaftTerm()).build())
                    .isEqualTo(before);
        }
    }

    private static StatusResponse status(ApiClient api) {
        return api.maintenance().status(StatusRequest.getDefaultInstance());
    }
}
