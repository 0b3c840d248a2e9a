/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.AlarmMember;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.HashKVRequest;
import dev.nightjar.api.etcdserverpb.MemberListRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.StatusRequest;
import dev.nightjar.ctl.client.Connection;
import dev.nightjar.ctl.client.ConnectionOptions;
import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.Endpoint;
import dev.nightjar.ctl.client.ExitCode;
import dev.nightjar.ctl.client.RpcErrors;
import dev.nightjar.ctl.print.EndpointHashKv;
import dev.nightjar.ctl.print.EndpointHealth;
import dev.nightjar.ctl.print.EndpointPrinter;
import dev.nightjar.ctl.print.EndpointStatus;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/** Asks each of several endpoints the same thing; owned by the thread that runs the command, which it helps with one for each endpoint. */
final class EndpointQueries {

    /** Any key does, it need not exist: what counts is that a quorum was needed to say so. */
    private static final ByteString HEALTH_KEY = ByteString.copyFromUtf8("health");

    private final RootCommand root;
    private final EndpointPrinter printer;

    EndpointQueries(RootCommand root) {
        this.root = root;
        this.printer = root.format().endpointPrinter(root.output(), root.hex());
    }

    /** Prints the state of each endpoint that answers; ends with an error if one does not. */
    void status(boolean wholeCluster) {
        ConnectionOptions options = targets(root, wholeCluster);
        List<EndpointStatus> known = new ArrayList<>();
        for (Endpoint endpoint : options.endpoints()) {
            try (Connection connection = Connection.open(options.only(endpoint))) {
                known.add(new EndpointStatus(
                        endpoint.text(), connection.maintenance().status(StatusRequest.getDefaultInstance())));
            } catch (StatusRuntimeException e) {
                reportUnknown("status", endpoint, RpcErrors.text(e.getStatus()));
            } catch (CtlException e) {
                reportUnknown("status", endpoint, e.text());
            }
        }
        printer.status(known);
        if (known.size() < options.endpoints().size()) {
            throw new CtlException(ExitCode.ERROR, "");
        }
    }

    /** Prints the health of each endpoint; ends with an error if one is unhealthy. */
    void health(boolean wholeCluster) {
        ConnectionOptions options = targets(root, wholeCluster);
        List<EndpointHealth> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<EndpointHealth>> pending = options.endpoints().stream()
                    .map(endpoint -> threads.submit(() -> healthOf(endpoint, options)))
                    .toList();
            for (Future<EndpointHealth> answer : pending) {
                answers.add(answer.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CtlException(ExitCode.INTERRUPTED, "interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
        printer.health(answers);
        if (!answers.stream().allMatch(EndpointHealth::healthy)) {
            throw new CtlException(ExitCode.ERROR, "unhealthy cluster");
        }
    }

    /** Prints the hash of each endpoint that answers; ends with the last error if one does not. */
    void hashKv(boolean wholeCluster, long revision) {
        ConnectionOptions options = targets(root, wholeCluster);
        HashKVRequest request = HashKVRequest.newBuilder().setRevision(revision).build();
        List<EndpointHashKv> known = new ArrayList<>();
        String problem = "";
        for (Endpoint endpoint : options.endpoints()) {
            try (Connection connection = Connection.open(options.only(endpoint))) {
                known.add(new EndpointHashKv(
                        endpoint.text(), connection.maintenance().hashKV(request)));
            } catch (StatusRuntimeException e) {
                problem = RpcErrors.text(e.getStatus());
                reportUnknown("hash", endpoint, problem);
            } catch (CtlException e) {
                problem = e.text();
                reportUnknown("hash", endpoint, problem);
            }
        }
        printer.hashKv(known);
        if (known.size() < options.endpoints().size()) {
            throw new CtlException(ExitCode.ERROR, problem);
        }
    }

    private void reportUnknown(String what, Endpoint endpoint, String reason) {
        root.console()
                .err()
                .print("Failed to get the " + what + " of endpoint " + endpoint.text() + " (" + reason + ")\n");
    }

    private EndpointHealth healthOf(Endpoint endpoint, ConnectionOptions options) {
        long start = root.console().nanoTime().getAsLong();
        String error = "";
        try (Connection connection = Connection.open(options.only(endpoint))) {
            readWithQuorum(connection);
            error = alarms(connection);
        } catch (StatusRuntimeException e) {
            error = RpcErrors.text(e.getStatus());
        } catch (CtlException e) {
            error = e.text();
        }
        long took = root.console().nanoTime().getAsLong() - start;
        return new EndpointHealth(endpoint.text(), error.isEmpty(), took, error);
    }

    /** A refusal for want of permission is as good as an answer: a quorum was needed for it as well. */
    private static void readWithQuorum(Connection connection) {
        try {
            connection.keys().range(RangeRequest.newBuilder().setKey(HEALTH_KEY).build());
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() != Status.Code.PERMISSION_DENIED) {
                throw e;
            }
        }
    }

    private static String alarms(Connection connection) {
        List<AlarmMember> alarms;
        try {
            alarms = connection
                    .maintenance()
                    .alarm(AlarmRequest.getDefaultInstance())
                    .getAlarmsList();
        } catch (StatusRuntimeException e) {
            return "Unable to fetch the alarm list";
        }
        if (alarms.isEmpty()) {
            return "";
        }
        return alarms.stream()
                .map(alarm -> alarm.getAlarm().name())
                .collect(Collectors.joining(" ", "Active Alarm(s): ", " "));
    }

    /** The endpoints that were given, or those of all members. */
    static ConnectionOptions targets(RootCommand root, boolean wholeCluster) {
        ConnectionOptions given = root.connectionOptions();
        if (!wholeCluster) {
            return given;
        }
        try (Connection connection = Connection.open(given)) {
            MemberListRequest request =
                    MemberListRequest.newBuilder().setLinearizable(true).build();
            List<String> urls = connection.cluster().memberList(request).getMembersList().stream()
                    .flatMap(member -> member.getClientURLsList().stream())
                    .distinct()
                    .toList();
            return given.withEndpoints(Endpoint.parseAll(urls));
        }
    }
}
