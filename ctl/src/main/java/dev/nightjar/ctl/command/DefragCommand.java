/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.DefragmentRequest;
import dev.nightjar.ctl.client.Connection;
import dev.nightjar.ctl.client.ConnectionOptions;
import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.Durations;
import dev.nightjar.ctl.client.Endpoint;
import dev.nightjar.ctl.client.ExitCode;
import dev.nightjar.ctl.client.RpcErrors;
import io.grpc.StatusRuntimeException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has members give back disk space, one after the other; owned by the thread that runs the command. */
@Command(
        name = "defrag",
        customSynopsis = "nightjar ctl defrag [OPTION...]",
        description = "Has each endpoint give back the disk space that it can do without.")
final class DefragCommand extends CtlCommand {

    @Option(names = "--cluster", description = "Ask the endpoints of all members instead of those of --endpoints.")
    private boolean wholeCluster;

    @Parameters(hidden = true, arity = "0..*")
    @SuppressWarnings("UnusedVariable") // Taken and left alone, as etcd's client does.
    private List<String> arguments = List.of();

    @Override
    void run(RootCommand root) {
        ConnectionOptions options = EndpointQueries.targets(root, wholeCluster);
        boolean failed = false;
        for (Endpoint endpoint : options.endpoints()) {
            long start = root.console().nanoTime().getAsLong();
            String problem = defragment(options.only(endpoint));
            String took = Durations.format(root.console().nanoTime().getAsLong() - start);
            if (problem.isEmpty()) {
                root.console()
                        .out()
                        .print("Finished defragmenting etcd member[" + endpoint.text() + "]. took " + took + "\n");
            } else {
                failed = true;
                root.console()
                        .err()
                        .print("Failed to defragment etcd member[" + endpoint.text() + "]. took " + took + ". ("
                                + problem + ")\n");
            }
        }
        if (failed) {
            throw new CtlException(ExitCode.ERROR, "");
        }
    }

    /** What went wrong, empty if nothing. */
    private static String defragment(ConnectionOptions endpoint) {
        try (Connection connection = Connection.open(endpoint)) {
            var _ = connection.maintenance().defragment(DefragmentRequest.getDefaultInstance());
            return "";
        } catch (StatusRuntimeException e) {
            return RpcErrors.text(e.getStatus());
        } catch (CtlException e) {
            return e.text();
        }
    }
}
