/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.ctl.client.Connection;
import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;
import dev.nightjar.ctl.print.KeyPrinter;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Stores a value under a key; owned by the thread that runs the command. */
@Command(
        name = "put",
        customSynopsis = "nightjar ctl put [OPTION...] KEY [VALUE]",
        description = {
            "Stores a value under a key.",
            "Without VALUE, the value is what comes on standard input.",
            "A value that begins with a dash needs -- before it: put KEY -- -VALUE."
        })
final class PutCommand extends CtlCommand {

    private static final String ARGUMENTS = "put command needs 1 argument and input from stdin or 2 arguments";

    @Parameters(hidden = true, arity = "0..*")
    private List<String> arguments = List.of();

    @Option(
            names = "--lease",
            paramLabel = "ID",
            defaultValue = "0",
            description = "The lease to attach the key to, in hexadecimal.")
    private String lease = "0";

    @Option(names = "--prev-kv", description = "Also print the key as it was before.")
    private boolean prevKv;

    @Option(names = "--ignore-value", description = "Keep the value that the key has.")
    private boolean ignoreValue;

    @Option(names = "--ignore-lease", description = "Keep the lease that the key has.")
    private boolean ignoreLease;

    @Override
    void run(RootCommand root) {
        PutRequest request = request(root.console().in());
        KeyPrinter printer = root.format().keyPrinter(root.output(), root.hex());
        try (Connection connection = root.connect()) {
            printer.put(connection.keys().put(request));
        }
    }

    /** The request that the arguments make, with the value from the input if it is not among them. */
    PutRequest request(InputStream in) {
        return PutRequest.newBuilder()
                .setKey(RawText.bytes(key()))
                .setValue(ignoreValue ? ByteString.EMPTY : value(in))
                .setLease(LeaseIds.parse(lease))
                .setPrevKv(prevKv)
                .setIgnoreValue(ignoreValue)
                .setIgnoreLease(ignoreLease)
                .build();
    }

    private String key() {
        if (arguments.isEmpty() || arguments.size() > 2) {
            throw badArguments(ARGUMENTS);
        }
        if (ignoreValue && arguments.size() != 1) {
            throw badArguments("put command needs only 1 argument when 'ignore-value' is set");
        }
        return arguments.getFirst();
    }

    private ByteString value(InputStream in) {
        if (arguments.size() == 2) {
            return RawText.bytes(arguments.getLast());
        }
        try {
            ByteString value = ByteString.readFrom(in);
            if (value.isEmpty()) {
                throw badArguments(ARGUMENTS);
            }
            return value;
        } catch (IOException e) {
            throw new CtlException(ExitCode.IO, "cannot read the value: " + e.getMessage(), e);
        }
    }
}
