/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.cluster;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.nightjar.api.etcdserverpb.Member;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.mvcc.Row;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * The members by id, kept as rows of the store. Written by the apply thread; {@link #all} may be called from any thread.
 */
public final class MemberRegistry {
    /** Row type of members in the store. */
    public static final int ROW_TYPE = 1;

    private static final Comparator<Long> UNSIGNED = Long::compareUnsigned;

    private final MvccStore store;
    private final TreeMap<Long, Member> members = new TreeMap<>(UNSIGNED);
    private volatile List<Member> view = List.of();

    /** Reads the members that the store holds. */
    public MemberRegistry(MvccStore store) {
        this.store = store;
        reload();
    }

    /** Reads everything again, after the store was replaced by a snapshot. */
    public void reload() {
        members.clear();
        for (Row row : store.rows(ROW_TYPE)) {
            try {
                Member member = Member.parseFrom(row.body());
                members.put(member.getID(), member);
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalStateException("the store holds a member row that cannot be read", e);
            }
        }
        view = List.copyOf(members.values());
    }

    /** Stores a member or replaces what was known of it. On the apply thread, inside a batch. */
    public void set(Member member) {
        members.put(member.getID(), member);
        store.putRow(ROW_TYPE, id(member.getID()), member.toByteArray());
        view = List.copyOf(members.values());
    }

    /** All members, ascending by id. */
    public List<Member> all() {
        return view;
    }

    private static byte[] id(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }
}
