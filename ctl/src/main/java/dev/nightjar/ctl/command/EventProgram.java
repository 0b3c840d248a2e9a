/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;
import dev.nightjar.ctl.print.Events;
import dev.nightjar.ctl.print.Quoted;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A program of the user that is run for each event, one after the other; owned by the thread of the watch. */
final class EventProgram {

    private final List<String> program;
    private final Console console;

    /**
     * Runs nothing yet.
     *
     * @param program name and arguments; empty for no program at all
     */
    EventProgram(List<String> program, Console console) {
        this.program = program;
        this.console = console;
    }

    /**
     * Runs the program for each event of a response.
     *
     * @throws CtlException if it cannot be started or fails
     */
    void runFor(WatchResponse response) {
        if (program.isEmpty()) {
            return;
        }
        for (Event event : response.getEventsList()) {
            run(event, response.getHeader().getRevision());
        }
    }

    private void run(Event event, long revision) {
        try {
            Process process = start(event, revision);
            Thread errors = Thread.ofVirtual().start(() -> copy(process.getErrorStream(), console.err()));
            copy(process.getInputStream(), console.out());
            errors.join();
            int exit = process.waitFor();
            if (exit != 0) {
                throw failed("exit status " + exit, null);
            }
        } catch (IOException e) {
            throw failed(String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("interrupted", e);
        }
    }

    private Process start(Event event, long revision) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(program);
        Map<String, String> environment = builder.environment();
        environment.put("ETCD_WATCH_REVISION", Long.toString(revision));
        environment.put("ETCD_WATCH_EVENT_TYPE", Quoted.of(Events.typeName(event)));
        environment.put("ETCD_WATCH_KEY", Quoted.of(event.getKv().getKey()));
        environment.put("ETCD_WATCH_VALUE", Quoted.of(event.getKv().getValue()));
        Process process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    private CtlException failed(String reason, @Nullable Throwable cause) {
        String words = program.stream().map(Quoted::of).collect(Collectors.joining(" ", "[", "]"));
        console.err().print("command " + words + " error (" + reason + ")\n");
        return cause == null ? new CtlException(ExitCode.ERROR, "") : new CtlException(ExitCode.ERROR, "", cause);
    }

    private static void copy(InputStream from, PrintStream to) {
        try (from) {
            from.transferTo(to);
            to.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
