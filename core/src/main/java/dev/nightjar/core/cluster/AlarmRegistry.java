/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.cluster;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.nightjar.api.etcdserverpb.AlarmMember;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.AlarmType;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.mvcc.Row;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The alarms that are raised, kept as rows of the store. An alarm of one member acts on all. Written by the apply
 * thread; {@link #all} and {@link #isRaised} may be called from any thread.
 */
public final class AlarmRegistry {
    /** Row type of alarms in the store. */
    public static final int ROW_TYPE = 2;

    private static final byte[] NO_BODY = {};

    private final MvccStore store;
    private volatile Set<AlarmMember> view = Set.of();

    /** Reads the alarms that the store holds. */
    public AlarmRegistry(MvccStore store) {
        this.store = store;
        reload();
    }

    /** Reads everything again, after the store was replaced by a snapshot. */
    public void reload() {
        Set<AlarmMember> raised = new LinkedHashSet<>();
        for (Row row : store.rows(ROW_TYPE)) {
            raised.add(parse(row.id()));
        }
        view = Set.copyOf(raised);
    }

    /** Carries out a request and returns the alarms that it is about. On the apply thread, inside a batch. */
    public List<AlarmMember> apply(AlarmRequest request) {
        // By number: a client may send one that this version has no name for.
        AlarmMember alarm = AlarmMember.newBuilder()
                .setMemberID(request.getMemberID())
                .setAlarmValue(request.getAlarmValue())
                .build();
        return switch (request.getAction()) {
            case GET -> select(request.getAlarm());
            case ACTIVATE -> raise(alarm);
            case DEACTIVATE -> clear(alarm);
            case UNRECOGNIZED -> List.of();
        };
    }

    /** All raised alarms. */
    public Collection<AlarmMember> all() {
        return view;
    }

    /** Whether any member raised an alarm of this type. */
    public boolean isRaised(AlarmType type) {
        return view.stream().anyMatch(alarm -> alarm.getAlarm() == type);
    }

    private List<AlarmMember> select(AlarmType type) {
        return view.stream()
                .filter(alarm -> type == AlarmType.NONE || alarm.getAlarm() == type)
                .toList();
    }

    private List<AlarmMember> raise(AlarmMember alarm) {
        if (alarm.getAlarm() == AlarmType.NONE || alarm.getAlarm() == AlarmType.UNRECOGNIZED) {
            return List.of();
        }
        store.putRow(ROW_TYPE, alarm.toByteArray(), NO_BODY);
        Set<AlarmMember> raised = new LinkedHashSet<>(view);
        raised.add(alarm);
        view = Set.copyOf(raised);
        return List.of(alarm);
    }

    private List<AlarmMember> clear(AlarmMember alarm) {
        if (!view.contains(alarm)) {
            return List.of();
        }
        store.removeRow(ROW_TYPE, alarm.toByteArray());
        Set<AlarmMember> raised = new LinkedHashSet<>(view);
        raised.remove(alarm);
        view = Set.copyOf(raised);
        return List.of(alarm);
    }

    private static AlarmMember parse(byte[] id) {
        try {
            return AlarmMember.parseFrom(id);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the store holds an alarm row that cannot be read", e);
        }
    }
}
