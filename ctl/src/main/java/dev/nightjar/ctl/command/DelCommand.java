/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.ctl.client.Connection;
import dev.nightjar.ctl.print.KeyPrinter;
import dev.nightjar.ctl.print.Quoted;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Deletes keys; owned by the thread that runs the command. */
@Command(
        name = "del",
        customSynopsis = "nightjar ctl del [OPTION...] KEY [RANGE_END]",
        description = "Deletes a key, or the keys from one up to but not including another.")
final class DelCommand extends CtlCommand {

    /** Long enough to read the warning and reach for the keyboard. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    @Parameters(hidden = true, arity = "0..*")
    private List<String> arguments = List.of();

    @Option(names = "--prefix", description = "Delete the keys that begin with KEY.")
    private boolean prefix;

    @Option(names = "--from-key", description = "Delete the keys from KEY on, in byte order.")
    private boolean fromKey;

    @Option(names = "--range", description = "Delete a range without a time to think it over.")
    private boolean sure;

    @Option(names = "--prev-kv", description = "Also print the deleted keys.")
    private boolean prevKv;

    @Override
    void run(RootCommand root) {
        DeleteRangeRequest request = request();
        KeyPrinter printer = root.format().keyPrinter(root.output(), root.hex());
        if (arguments.size() == 2 && !sure) {
            warn(root.console());
        }
        try (Connection connection = root.connect()) {
            printer.delete(connection.keys().deleteRange(request));
        }
    }

    /** The request that the arguments make. */
    DeleteRangeRequest request() {
        KeyRange range = KeyRange.of("del", arguments, prefix, fromKey);
        return DeleteRangeRequest.newBuilder()
                .setKey(range.key())
                .setRangeEnd(range.end())
                .setPrevKv(prevKv)
                .build();
    }

    private void warn(Console console) {
        console.err()
                .println("Warning: Keys between " + Quoted.of(arguments.getFirst()) + " and "
                        + Quoted.of(arguments.getLast())
                        + " will be deleted. Please interrupt the command within next " + GRACE.toSeconds()
                        + " seconds to cancel. You can provide `--range` flag to avoid the delay.");
        console.err().flush();
        console.pause().accept(GRACE);
    }
}
