/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.main;

import dev.nightjar.server.config.CommandLine;
import dev.nightjar.server.config.LogLevel;
import dev.nightjar.server.config.ServerConfig;
import dev.nightjar.server.config.ServerConfig.LogFormat;
import dev.nightjar.server.config.StartRequest;
import dev.nightjar.server.config.Usage;
import dev.nightjar.server.config.Version;
import dev.nightjar.server.observe.LogMarkers;
import dev.nightjar.server.observe.Logging;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The program. Runs on the main thread, which then waits for ever: the process ends by a signal. With
 * {@code store} as the first word it looks at files instead, see {@link StoreCommand}.
 *
 * <p>Exit codes: 0 for help and version, 1 for settings that cannot be used and servers that cannot start, 2 for a
 * command line that cannot be read and an unknown log level, 143 and 130 after SIGTERM and SIGINT.
 */
public final class Main {
    private static final int OK = 0;
    private static final int FAILED = 1;
    private static final int MALFORMED = 2;

    private final Launcher launcher;
    private final PrintStream out;
    private final PrintStream err;

    Main(Launcher launcher, PrintStream out, PrintStream err) {
        this.launcher = launcher;
        this.out = out;
        this.err = err;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int code = new Main(new NightjarLauncher(), System.out, System.err).run(List.of(arguments), System.getenv());
        if (code >= 0) {
            System.exit(code);
        }
        new CountDownLatch(1).await();
    }

    /** Does what is asked; returns the exit code, or -1 if a server runs now. */
    int run(List<String> arguments, Map<String, String> environment) {
        if (!arguments.isEmpty() && arguments.getFirst().equals(StoreCommand.NAME)) {
            return new StoreCommand(out, err).run(arguments.subList(1, arguments.size()), environment);
        }
        return switch (CommandLine.read(arguments, environment)) {
            case StartRequest.Help _ -> {
                err.print(Usage.summary());
                out.print(Usage.flags());
                yield OK;
            }
            case StartRequest.Version _ -> {
                out.print(version());
                yield OK;
            }
            case StartRequest.Malformed malformed -> {
                err.println(malformed.message());
                err.print(Usage.summary());
                yield MALFORMED;
            }
            case StartRequest.Unusable unusable -> {
                logEarly(unusable.notices());
                yield FAILED;
            }
            case StartRequest.Panic panic -> {
                logEarly(panic.notices());
                err.println("panic: " + panic.message());
                yield MALFORMED;
            }
            case StartRequest.Serve serve -> serve(serve, arguments);
        };
    }

    private int serve(StartRequest.Serve serve, List<String> arguments) {
        if (!startLog(serve.config().log())) {
            return FAILED;
        }
        serve.notices().forEach(Main::log);
        ServerProcess process = new ServerProcess(
                launcher,
                serve.config(),
                code -> System.exit(ProcessHandle.current().pid() == 1 ? OK : code));
        Signals.install(process::stop);
        return process.start(arguments) ? -1 : FAILED;
    }

    /** Logs what is told while the settings of the log itself are not known. */
    private void logEarly(List<StartRequest.Notice> notices) {
        if (!notices.isEmpty() && startLog(new ServerConfig.Log(LogLevel.INFO, LogFormat.JSON, List.of("stderr")))) {
            notices.forEach(Main::log);
        }
    }

    private boolean startLog(ServerConfig.Log config) {
        try {
            Logging.start(config);
        } catch (IOException e) {
            err.println("cannot open the log: " + e.getMessage());
            return false;
        }
        Logger log = LoggerFactory.getLogger(Main.class);
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> log.atError()
                .addKeyValue("thread", thread.getName())
                .setCause(failure)
                .log("a thread ended by an exception"));
        return true;
    }

    private static void log(StartRequest.Notice notice) {
        Logger log = LoggerFactory.getLogger(Main.class);
        LoggingEventBuilder line = switch (notice.level()) {
            case DEBUG -> log.atDebug();
            case INFO -> log.atInfo();
            case WARN -> log.atWarn();
            case ERROR -> log.atError();
            case PANIC -> log.atError().addMarker(LogMarkers.PANIC);
            case FATAL -> log.atError().addMarker(LogMarkers.FATAL);
        };
        for (Map.Entry<String, String> field : notice.fields().entrySet()) {
            line = line.addKeyValue(field.getKey(), field.getValue());
        }
        line.log(notice.message());
    }

    /** Four lines of the form that callers of etcd parse, and one of our own. The start script prints the same. */
    static String version() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch");
        return String.join(
                        "\n",
                        "etcd Version: " + Version.ETCD,
                        "Git SHA: none, this is not an etcd build",
                        "Go Version: none, this is Java",
                        "Go OS/Arch: " + system + "/" + (machine.equals("aarch64") ? "arm64" : machine),
                        "Nightjar Version: " + Version.NIGHTJAR)
                + "\n";
    }
}
