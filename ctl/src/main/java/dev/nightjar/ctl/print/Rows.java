/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import dev.nightjar.api.etcdserverpb.MemberListResponse;
import dev.nightjar.api.etcdserverpb.StatusResponse;
import dev.nightjar.ctl.client.Durations;
import java.util.List;

/** Members and endpoints as rows of cells, for the formats that show rows; stateless, any thread. */
final class Rows {

    static final List<String> MEMBER_COLUMNS =
            List.of("ID", "STATUS", "NAME", "PEER ADDRS", "CLIENT ADDRS", "IS LEARNER");
    static final List<String> HEALTH_COLUMNS = List.of("ENDPOINT", "HEALTH", "TOOK", "ERROR");
    static final List<String> HASH_COLUMNS = List.of("ENDPOINT", "HASH", "HASH REVISION");
    static final List<String> STATUS_COLUMNS = List.of(
            "ENDPOINT",
            "ID",
            "VERSION",
            "STORAGE VERSION",
            "DB SIZE",
            "IN USE",
            "PERCENTAGE NOT IN USE",
            "QUOTA",
            "IS LEADER",
            "IS LEARNER",
            "RAFT TERM",
            "RAFT INDEX",
            "RAFT APPLIED INDEX",
            "ERRORS",
            "DOWNGRADE TARGET VERSION",
            "DOWNGRADE ENABLED");

    private Rows() {}

    static List<List<String>> members(MemberListResponse response) {
        return response.getMembersList().stream()
                .map(member -> List.of(
                        Hex.id(member.getID()),
                        member.getName().isEmpty() ? "unstarted" : "started",
                        member.getName(),
                        String.join(",", member.getPeerURLsList()),
                        String.join(",", member.getClientURLsList()),
                        Boolean.toString(member.getIsLearner())))
                .toList();
    }

    static List<String> health(EndpointHealth endpoint) {
        return List.of(endpoint.endpoint(), Boolean.toString(endpoint.healthy()), took(endpoint), endpoint.error());
    }

    static List<String> hashKv(EndpointHashKv endpoint) {
        return List.of(
                endpoint.endpoint(),
                Integer.toUnsignedString(endpoint.hash().getHash()),
                Long.toString(endpoint.hash().getHashRevision()));
    }

    static List<String> status(EndpointStatus endpoint) {
        StatusResponse status = endpoint.status();
        return List.of(
                endpoint.endpoint(),
                Hex.id(status.getHeader().getMemberId()),
                status.getVersion(),
                status.getStorageVersion(),
                Sizes.format(status.getDbSize()),
                Sizes.format(status.getDbSizeInUse()),
                notInUse(status),
                Sizes.format(status.getDbSizeQuota()),
                Boolean.toString(status.getHeader().getMemberId() == status.getLeader()),
                Boolean.toString(status.getIsLearner()),
                Long.toUnsignedString(status.getRaftTerm()),
                Long.toUnsignedString(status.getRaftIndex()),
                Long.toUnsignedString(status.getRaftAppliedIndex()),
                String.join(", ", status.getErrorsList()),
                status.getDowngradeInfo().getTargetVersion(),
                Boolean.toString(status.getDowngradeInfo().getEnabled()));
    }

    static String took(EndpointHealth endpoint) {
        return Durations.format(endpoint.tookNanos());
    }

    private static String notInUse(StatusResponse status) {
        if (status.getDbSize() <= 0) {
            return "0%";
        }
        return 100 - status.getDbSizeInUse() * 100 / status.getDbSize() + "%";
    }
}
