/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.api;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.GenericDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import dev.nightjar.api.authpb.AuthTypesProto;
import dev.nightjar.api.etcdserverpb.AuthProto;
import dev.nightjar.api.etcdserverpb.ClusterProto;
import dev.nightjar.api.etcdserverpb.HeaderProto;
import dev.nightjar.api.etcdserverpb.KvProto;
import dev.nightjar.api.etcdserverpb.LeaseProto;
import dev.nightjar.api.etcdserverpb.MaintenanceProto;
import dev.nightjar.api.etcdserverpb.WatchProto;
import dev.nightjar.api.mvccpb.KeyValueProto;
import dev.nightjar.api.v3electionpb.ElectionProto;
import dev.nightjar.api.v3lockpb.LockProto;
import dev.nightjar.api.versionpb.VersionProto;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Everything that the generated code declares, by full name; immutable, any thread. The health service is left out. */
final class ApiDescriptors {

    static final List<FileDescriptor> FILES = List.of(
            VersionProto.getDescriptor(),
            KeyValueProto.getDescriptor(),
            AuthTypesProto.getDescriptor(),
            HeaderProto.getDescriptor(),
            KvProto.getDescriptor(),
            WatchProto.getDescriptor(),
            LeaseProto.getDescriptor(),
            ClusterProto.getDescriptor(),
            MaintenanceProto.getDescriptor(),
            AuthProto.getDescriptor(),
            LockProto.getDescriptor(),
            ElectionProto.getDescriptor());

    static final Map<String, Descriptor> MESSAGES = new LinkedHashMap<>();
    static final Map<String, EnumDescriptor> ENUMS = new LinkedHashMap<>();
    static final Map<String, ServiceDescriptor> SERVICES = new LinkedHashMap<>();

    static {
        for (FileDescriptor file : FILES) {
            file.getMessageTypes().forEach(ApiDescriptors::add);
            file.getEnumTypes().forEach(type -> put(ENUMS, type));
            file.getServices().forEach(service -> put(SERVICES, service));
        }
    }

    private ApiDescriptors() {}

    private static void add(Descriptor message) {
        put(MESSAGES, message);
        message.getNestedTypes().forEach(ApiDescriptors::add);
        message.getEnumTypes().forEach(type -> put(ENUMS, type));
    }

    private static <D extends GenericDescriptor> void put(Map<String, D> all, D descriptor) {
        if (all.put(descriptor.getFullName(), descriptor) != null) {
            throw new IllegalStateException("declared twice: " + descriptor.getFullName());
        }
    }
}
