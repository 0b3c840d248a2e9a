/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest.SortOrder;
import dev.nightjar.api.etcdserverpb.RangeRequest.SortTarget;
import dev.nightjar.ctl.client.Connection;
import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;
import dev.nightjar.ctl.print.KeyPrinter;
import dev.nightjar.ctl.print.OutputFormat;
import dev.nightjar.ctl.print.SimplePrinter;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reads keys; owned by the thread that runs the command. */
@Command(
        name = "get",
        customSynopsis = "nightjar ctl get [OPTION...] KEY [RANGE_END]",
        description = "Reads a key, or the keys from one up to but not including another.")
final class GetCommand extends CtlCommand {

    @Parameters(hidden = true, arity = "0..*")
    private List<String> arguments = List.of();

    @Option(
            names = "--consistency",
            paramLabel = "l|s",
            defaultValue = "l",
            description = "l: see every write made before (linearizable). s: take what one member has (serializable).")
    private String consistency = "l";

    @Option(names = "--prefix", description = "Read the keys that begin with KEY.")
    private boolean prefix;

    @Option(names = "--from-key", description = "Read the keys from KEY on, in byte order.")
    private boolean fromKey;

    @Option(names = "--rev", paramLabel = "REVISION", description = "Read at this revision of the store.")
    private long revision;

    @Option(names = "--limit", paramLabel = "COUNT", description = "Read so many keys at most.")
    private long limit;

    @Option(names = "--order", paramLabel = "ORDER", defaultValue = "", description = "ASCEND or DESCEND.")
    private String order = "";

    @Option(
            names = "--sort-by",
            paramLabel = "TARGET",
            defaultValue = "",
            description = "CREATE, KEY, MODIFY, VALUE or VERSION.")
    private String sortBy = "";

    @Option(names = "--keys-only", description = "Leave the values out.")
    private boolean keysOnly;

    @Option(names = "--count-only", description = "Count only; needs --write-out=fields.")
    private boolean countOnly;

    @Option(names = "--print-value-only", description = "Print the values only; needs --write-out=simple.")
    private boolean printValueOnly;

    @Option(names = "--min-create-rev", paramLabel = "REVISION", description = "Only keys created at or after it.")
    private long minCreateRevision;

    @Option(names = "--max-create-rev", paramLabel = "REVISION", description = "Only keys created at or before it.")
    private long maxCreateRevision;

    @Option(names = "--min-mod-rev", paramLabel = "REVISION", description = "Only keys changed at or after it.")
    private long minModRevision;

    @Option(names = "--max-mod-rev", paramLabel = "REVISION", description = "Only keys last changed at or before it.")
    private long maxModRevision;

    @Override
    void run(RootCommand root) {
        RangeRequest request = request();
        KeyPrinter printer = printer(root);
        try (Connection connection = root.connect()) {
            printer.range(connection.keys().range(request));
        }
    }

    /** The request that the arguments make. */
    RangeRequest request() {
        if (keysOnly && countOnly) {
            throw badArguments("`--keys-only` and `--count-only` cannot be set at the same time, choose one");
        }
        KeyRange range = KeyRange.of("get", arguments, prefix, fromKey);
        return RangeRequest.newBuilder()
                .setKey(range.key())
                .setRangeEnd(range.end())
                .setSerializable(Consistency.of(consistency) == Consistency.SERIALIZABLE)
                .setRevision(Math.max(revision, 0))
                .setLimit(limit)
                .setSortOrder(
                        sortTarget() == SortTarget.KEY && sortOrder() == SortOrder.ASCEND
                                ? SortOrder.NONE
                                : sortOrder())
                .setSortTarget(sortTarget())
                .setKeysOnly(keysOnly)
                .setCountOnly(countOnly)
                .setMinCreateRevision(minCreateRevision)
                .setMaxCreateRevision(maxCreateRevision)
                .setMinModRevision(minModRevision)
                .setMaxModRevision(maxModRevision)
                .build();
    }

    private KeyPrinter printer(RootCommand root) {
        OutputFormat format = root.format();
        if (countOnly && format != OutputFormat.FIELDS) {
            throw badArguments("--count-only is only for `--write-out=fields`");
        }
        if (!printValueOnly) {
            return root.format().keyPrinter(root.output(), root.hex());
        }
        if (format != OutputFormat.SIMPLE) {
            throw badArguments("print-value-only is only for `--write-out=simple`");
        }
        return new SimplePrinter(root.output(), root.hex(), true);
    }

    private SortOrder sortOrder() {
        return switch (order.toUpperCase(Locale.ROOT)) {
            case "" -> SortOrder.NONE;
            case "ASCEND" -> SortOrder.ASCEND;
            case "DESCEND" -> SortOrder.DESCEND;
            default -> throw new CtlException(ExitCode.UNSUPPORTED, "bad sort order " + order);
        };
    }

    private SortTarget sortTarget() {
        return switch (sortBy.toUpperCase(Locale.ROOT)) {
            case "", "KEY" -> SortTarget.KEY;
            case "CREATE" -> SortTarget.CREATE;
            case "MODIFY" -> SortTarget.MOD;
            case "VALUE" -> SortTarget.VALUE;
            case "VERSION" -> SortTarget.VERSION;
            default -> throw new CtlException(ExitCode.UNSUPPORTED, "bad sort target " + sortBy);
        };
    }
}
