/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl;

import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;
import dev.nightjar.ctl.client.RpcErrors;
import dev.nightjar.ctl.command.Console;
import dev.nightjar.ctl.command.GlobalEnvironment;
import dev.nightjar.ctl.command.Lines;
import dev.nightjar.ctl.command.RootCommand;
import dev.nightjar.ctl.command.UsageErrors;
import io.grpc.StatusRuntimeException;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.RunLast;

/** The entry to the command line client; runs on the thread that calls it. */
public final class Ctl {

    /** Libraries that would write about failed connections; the tool says itself what went wrong. Held, so that they stay quiet. */
    private static final List<Logger> QUIET = List.of(Logger.getLogger("io.grpc"), Logger.getLogger("io.netty"));

    private Ctl() {}

    /** Runs one command and ends the process. */
    public static void main(String[] args) {
        QUIET.forEach(logger -> logger.setLevel(Level.OFF));
        PrintStream out = new PrintStream(
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)), false, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        Console console = new Console(
                System.getenv(),
                System.in,
                out,
                err,
                System::nanoTime,
                pause -> LockSupport.parkNanos(pause.toNanos()));
        System.exit(run(args, console));
    }

    /**
     * Runs one command.
     *
     * @return the exit code
     */
    public static int run(String[] args, Console console) {
        GlobalEnvironment environment = new GlobalEnvironment(console.environment());
        RunLast strategy = new RunLast();
        RootCommand root = new RootCommand(console);
        CommandLine line = Lines.parser(root)
                .setDefaultValueProvider(environment)
                .setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
                .setParameterExceptionHandler((e, arguments) -> usageError(e, console))
                .setExecutionExceptionHandler((e, command, result) -> failure(e, root, console))
                .setExecutionStrategy(result -> {
                    try {
                        environment.requireNoConflict(result);
                    } catch (CtlException e) {
                        return report(e, console);
                    }
                    return strategy.execute(result);
                });
        int code = line.execute(args);
        console.err().flush();
        if (console.out().checkError() && code == ExitCode.SUCCESS.code()) {
            return ExitCode.IO.code();
        }
        return code;
    }

    private static int usageError(ParameterException e, Console console) {
        console.err().print("Error: " + UsageErrors.text(e) + "\n");
        String name = e.getCommandLine().getCommandSpec().qualifiedName();
        console.err().print("Run '" + name + " --help' for usage.\n");
        return ExitCode.ERROR.code();
    }

    private static int failure(Exception e, RootCommand root, Console console) throws Exception {
        return switch (e) {
            case CtlException known -> report(known, console);
            case StatusRuntimeException refused -> refusal(refused, root, console);
            default -> throw e;
        };
    }

    private static int refusal(StatusRuntimeException refused, RootCommand root, Console console) {
        int code = report(RpcErrors.failure(refused), console);
        if (RpcErrors.reachedNobody(refused.getStatus())) {
            console.err().print("No connection to " + root.endpoints() + ": is a server running there?\n");
        }
        return code;
    }

    private static int report(CtlException failure, Console console) {
        if (!failure.text().isEmpty()) {
            console.err().print("Error: " + failure.text() + "\n");
        }
        return failure.exitCode().code();
    }
}
