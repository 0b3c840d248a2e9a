/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.http;

import dev.nightjar.api.etcdserverpb.Member;
import dev.nightjar.server.observe.JsonText;
import dev.nightjar.wire.HttpExchange;
import dev.nightjar.wire.HttpHandler;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;

/**
 * The pages of the port for members: {@code /version} and {@code /members}, which a member that joins reads. Called on
 * event loops; has no state of its own.
 */
public final class PeerFrontend implements HttpHandler {
    private final Supplier<List<Member>> members;
    private final String clusterId;
    private final Supplier<String> clusterVersion;

    /**
     * @param members the members as this one knows them
     * @param clusterId in its text form
     * @param clusterVersion three numbers
     */
    public PeerFrontend(Supplier<List<Member>> members, String clusterId, Supplier<String> clusterVersion) {
        this.members = members;
        this.clusterId = clusterId;
        this.clusterVersion = clusterVersion;
    }

    @Override
    public void handle(HttpExchange exchange) {
        page(exchange).sendToMember(exchange);
    }

    private HttpReply page(HttpExchange exchange) {
        boolean get = exchange.method().equals("GET");
        return switch (exchange.path()) {
            case "/version" -> get ? VersionPage.of(clusterVersion.get()) : HttpReply.notAllowed("GET");
            case "/members" -> get ? members() : HttpReply.notAllowed("GET");
            default -> HttpReply.error(404, "404 page not found");
        };
    }

    private HttpReply members() {
        return HttpReply.json(memberList()).with("X-Etcd-Cluster-ID", clusterId);
    }

    private String memberList() {
        StringBuilder out = new StringBuilder("[");
        List<Member> sorted = members.get().stream()
                .sorted(Comparator.comparing(Member::getID, Long::compareUnsigned))
                .toList();
        for (Member member : sorted) {
            out.append(out.length() > 1 ? "," : "");
            append(out, member);
        }
        return out.append("]\n").toString();
    }

    /** What is empty or false is left out, but for the peer URLs. */
    private static void append(StringBuilder out, Member member) {
        out.append("{\"id\":").append(Long.toUnsignedString(member.getID())).append(",\"peerURLs\":");
        append(out, member.getPeerURLsList());
        if (member.getIsLearner()) {
            out.append(",\"isLearner\":true");
        }
        if (!member.getName().isEmpty()) {
            out.append(",\"name\":");
            JsonText.appendString(out, member.getName());
        }
        if (member.getClientURLsCount() > 0) {
            out.append(",\"clientURLs\":");
            append(out, member.getClientURLsList());
        }
        out.append('}');
    }

    private static void append(StringBuilder out, Collection<String> texts) {
        String before = "[";
        for (String text : texts) {
            out.append(before);
            JsonText.appendString(out, text);
            before = ",";
        }
        out.append(texts.isEmpty() ? "[]" : "]");
    }
}
