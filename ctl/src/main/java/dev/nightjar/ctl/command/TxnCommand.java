/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.ctl.client.Connection;
import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;
import dev.nightjar.ctl.print.KeyPrinter;
import java.io.InputStream;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reads a transaction from standard input and does it; owned by the thread that runs the command. */
@Command(
        name = "txn",
        customSynopsis = "nightjar ctl txn [OPTION...]",
        description = {
            "Compares, and then does one of two lists of operations.",
            "Standard input has three lists, each ended by an empty line:",
            "conditions, such as mod(\"KEY\") > \"0\" (mod, create, version, value or lease; =, !=, < or >);",
            "what to do if all of them hold: get, put and del with their flags;",
            "what to do if one of them does not hold."
        })
final class TxnCommand extends CtlCommand {

    @Parameters(hidden = true, arity = "0..*")
    private List<String> arguments = List.of();

    @Option(
            names = {"-i", "--interactive"},
            description = "Print what comes next before each list.")
    private boolean interactive;

    @Override
    void run(RootCommand root) {
        if (!arguments.isEmpty()) {
            throw badArguments("txn command does not accept argument");
        }
        KeyPrinter printer = root.format().keyPrinter(root.output(), root.hex());
        TxnRequest request = read(root.console());
        try (Connection connection = root.connect()) {
            printer.txn(connection.keys().txn(request));
        }
    }

    private TxnRequest read(Console console) {
        InputLines lines = new InputLines(console.in());
        TxnRequest.Builder request = TxnRequest.newBuilder();
        prompt(console, "compares:");
        readList(lines, line -> request.addCompare(CompareLine.parse(line)));
        prompt(console, "success requests (get, put, del):");
        readList(lines, line -> request.addSuccess(operation(line)));
        prompt(console, "failure requests (get, put, del):");
        readList(lines, line -> request.addFailure(operation(line)));
        return request.build();
    }

    private void prompt(Console console, String text) {
        if (interactive) {
            console.out().print(text + "\n");
            console.out().flush();
        }
    }

    /** Hands on the lines up to the next empty one. */
    private static void readList(InputLines lines, Consumer<String> reader) {
        for (String line = lines.next(); ; line = lines.next()) {
            if (line == null) {
                throw new CtlException(ExitCode.INVALID_INPUT, "EOF");
            }
            if (line.isBlank()) {
                return;
            }
            reader.accept(line.strip());
        }
    }

    private static RequestOp operation(String line) {
        List<String> words = Words.split(line);
        List<String> arguments = words.subList(1, words.size());
        RequestOp.Builder operation = RequestOp.newBuilder();
        switch (words.getFirst()) {
            case "get" ->
                operation.setRequestRange(Lines.parse(new GetCommand(), arguments, ExitCode.INVALID_INPUT)
                        .request());
            case "put" ->
                operation.setRequestPut(Lines.parse(new PutCommand(), arguments, ExitCode.INVALID_INPUT)
                        .request(InputStream.nullInputStream()));
            case "del" ->
                operation.setRequestDeleteRange(Lines.parse(new DelCommand(), arguments, ExitCode.INVALID_INPUT)
                        .request());
            default -> throw new CtlException(ExitCode.INVALID_INPUT, "invalid txn request: " + line);
        }
        return operation.build();
    }
}
