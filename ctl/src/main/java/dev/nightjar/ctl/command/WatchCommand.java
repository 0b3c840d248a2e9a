/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.ctl.client.Connection;
import dev.nightjar.ctl.print.KeyPrinter;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints what changes until interrupted; owned by the thread that runs the command. */
@Command(
        name = "watch",
        customSynopsis = "nightjar ctl watch [OPTION...] [KEY [RANGE_END]] [-- PROGRAM [ARGUMENT...]]",
        description = {
            "Prints each change of a key, or of a range of keys, until interrupted.",
            "After --, a program to run for each change, which finds it in ETCD_WATCH_KEY, ETCD_WATCH_VALUE,"
                    + " ETCD_WATCH_EVENT_TYPE and ETCD_WATCH_REVISION.",
            "Instead of KEY and RANGE_END, ETCDCTL_WATCH_KEY and ETCDCTL_WATCH_RANGE_END may be set."
        })
final class WatchCommand extends CtlCommand {

    private static final String KEY_VARIABLE = "ETCDCTL_WATCH_KEY";
    private static final String END_VARIABLE = "ETCDCTL_WATCH_RANGE_END";
    private static final String SEPARATOR = "--";

    @Parameters(hidden = true, arity = "0..*")
    private List<String> arguments = List.of();

    @Option(
            names = {"-i", "--interactive"},
            description = "Read from standard input what to watch: a line `watch …` with flags, or `progress`.")
    private boolean interactive;

    @Option(names = "--prefix", description = "Watch the keys that begin with KEY.")
    private boolean prefix;

    @Option(
            names = "--rev",
            paramLabel = "REVISION",
            description = "Begin with the changes made at this revision of the store.")
    private long revision;

    @Option(names = "--prev-kv", description = "Also print the key as it was before.")
    private boolean prevKv;

    @Option(names = "--progress-notify", description = "Also print from time to time how far the watch is.")
    private boolean progressNotify;

    @Override
    void run(RootCommand root) {
        KeyPrinter printer = root.format().keyPrinter(root.output(), root.hex());
        List<WatchTarget> targets =
                interactive ? List.of() : List.of(target(root.console().environment()));
        try (Connection connection = root.connect()) {
            WatchRunner runner = new WatchRunner(connection, printer, root.console());
            if (interactive) {
                runner.readRequests(new InputLines(root.console().in()));
            }
            runner.run(targets);
        }
    }

    /** What the arguments ask for. */
    WatchTarget target(Map<String, String> environment) {
        int separator = separatorCount();
        List<String> named = arguments.subList(0, arguments.size() - Math.max(separator, 0));
        List<String> program = arguments.subList(named.size(), arguments.size());
        if (separator == 0) {
            throw badArguments("bad number of arguments (found separator --, but no commands)");
        }
        KeyRange range = range(named(named, environment));
        return new WatchTarget(
                WatchCreateRequest.newBuilder()
                        .setKey(range.key())
                        .setRangeEnd(range.end())
                        .setStartRevision(revision)
                        .setPrevKv(prevKv)
                        .setProgressNotify(progressNotify)
                        .build(),
                program);
    }

    /** How many arguments follow the separator; below 0 without one. */
    private int separatorCount() {
        List<String> all = spec().commandLine().getParseResult().originalArgs();
        int at = all.indexOf(SEPARATOR);
        return at < 0 ? -1 : all.size() - at - 1;
    }

    private static List<String> named(List<String> arguments, Map<String, String> environment) {
        String key = environment.getOrDefault(KEY_VARIABLE, "");
        String end = environment.getOrDefault(END_VARIABLE, "");
        if (key.isEmpty() && !end.isEmpty()) {
            throw badArguments(KEY_VARIABLE + " is empty but got " + END_VARIABLE + "=\"" + end + "\"");
        }
        if (key.isEmpty()) {
            return arguments;
        }
        if (!arguments.isEmpty()) {
            throw badArguments("bad number of arguments (found conflicting environment key)");
        }
        return end.isEmpty() ? List.of(key) : List.of(key, end);
    }

    private KeyRange range(List<String> named) {
        if (named.isEmpty() || named.size() > 2) {
            throw badArguments("bad number of arguments");
        }
        if (named.size() == 2 && prefix) {
            throw badArguments("`range_end` and `--prefix` are mutually exclusive");
        }
        String key = named.getFirst();
        if (named.size() == 2) {
            return KeyRange.between(key, named.getLast());
        }
        return prefix ? KeyRange.prefix(key) : KeyRange.single(key);
    }
}
