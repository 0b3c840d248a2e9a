/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import dev.nightjar.consensus.MemberId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The members a new cluster starts with. An immutable value.
 *
 * @param members each member's peer URLs by name; names sorted, URLs sorted
 * @param token sets clusters with equal URLs apart; part of the ids
 */
public record InitialCluster(SortedMap<String, List<ServerUrl>> members, String token) {

    public InitialCluster {
        members = Collections.unmodifiableSortedMap(new TreeMap<>(members));
    }

    /** Reads {@code name=url,name=url,…}; a member with several URLs repeats its name. */
    static InitialCluster parse(String text, String token) throws ConfigException {
        Map<String, List<String>> urlsByName = new LinkedHashMap<>();
        for (String part : text.split(",", -1)) {
            if (!part.isEmpty()) {
                int equals = part.indexOf('=');
                String name = equals < 0 ? part : part.substring(0, equals);
                String url = equals < 0 ? "" : part.substring(equals + 1);
                urlsByName.computeIfAbsent(name, _ -> new ArrayList<>()).add(url);
            }
        }
        SortedMap<String, List<ServerUrl>> members = new TreeMap<>();
        for (Map.Entry<String, List<String>> entry : urlsByName.entrySet()) {
            members.put(entry.getKey(), ServerUrl.parseAll(entry.getValue()));
        }
        return new InitialCluster(members, token);
    }

    /** One member alone. */
    static InitialCluster single(String name, List<ServerUrl> peerUrls, String token) {
        return new InitialCluster(new TreeMap<>(Map.of(name, peerUrls)), token);
    }

    /**
     * What must hold before a new member may start from this list: it is in there, with just the URLs that it
     * advertises, and no URL stands twice. Host names count as equal if {@code resolver} finds the same addresses.
     */
    public void checkMember(String name, List<ServerUrl> advertised, HostResolver resolver) throws ConfigException {
        List<ServerUrl> listed = members.get(name);
        if (listed == null) {
            throw new ConfigException("couldn't find local name \"" + name + "\" in the initial cluster configuration");
        }
        Set<ServerUrl> seen = new HashSet<>();
        for (List<ServerUrl> urls : members.values()) {
            for (ServerUrl url : urls) {
                if (!seen.add(url)) {
                    throw new ConfigException("initial cluster " + text() + " has duplicate url");
                }
            }
        }
        checkSame(name, listed, advertised, resolver);
    }

    private static void checkSame(
            String name, List<ServerUrl> listed, List<ServerUrl> advertised, HostResolver resolver)
            throws ConfigException {
        List<ServerUrl> missing = without(listed, advertised, resolver);
        if (!missing.isEmpty()) {
            throw new ConfigException("--initial-cluster has " + named(name, missing)
                    + " but missing from --initial-advertise-peer-urls=" + ServerUrl.join(advertised));
        }
        List<ServerUrl> extra = without(advertised, listed, resolver);
        if (!extra.isEmpty()) {
            throw new ConfigException("--initial-advertise-peer-urls has " + ServerUrl.join(extra)
                    + " but missing from --initial-cluster=" + named(name, listed));
        }
    }

    private static List<ServerUrl> without(List<ServerUrl> from, List<ServerUrl> these, HostResolver resolver) {
        List<ServerUrl> rest = new ArrayList<>();
        for (ServerUrl url : from) {
            if (these.stream().noneMatch(other -> samePlace(url, other, resolver))) {
                rest.add(url);
            }
        }
        return rest;
    }

    private static boolean samePlace(ServerUrl a, ServerUrl b, HostResolver resolver) {
        if (a.equals(b)) {
            return true;
        }
        if (a.scheme() != b.scheme() || a.port() != b.port() || !a.path().equals(b.path())) {
            return false;
        }
        Set<String> common = new HashSet<>(resolver.addresses(a.host()));
        common.retainAll(resolver.addresses(b.host()));
        return !common.isEmpty();
    }

    /** The id of the member called {@code name}, which must be in the list. */
    public MemberId memberId(String name) {
        List<ServerUrl> urls = members.get(name);
        if (urls == null) {
            throw new IllegalArgumentException("no member " + name + " in " + text());
        }
        return MemberIds.memberId(urls, token);
    }

    /** The id of the cluster. */
    public long clusterId() {
        return MemberIds.clusterId(members.keySet().stream().map(this::memberId).toList());
    }

    /** The form that {@link #parse} reads. */
    public String text() {
        List<String> parts = new ArrayList<>();
        members.forEach((name, urls) -> parts.add(named(name, urls)));
        return String.join(",", parts);
    }

    private static String named(String name, List<ServerUrl> urls) {
        return urls.stream().map(url -> name + "=" + url).collect(Collectors.joining(","));
    }

    /** Finds the addresses of a host name; empty if there are none. */
    @FunctionalInterface
    public interface HostResolver {
        Set<String> addresses(String host);
    }
}
