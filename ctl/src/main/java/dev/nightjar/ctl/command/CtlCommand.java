/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What all commands share: the way to the options of the tool. Owned by the thread that runs the command. */
abstract class CtlCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    /** Does what the user asked for and returns the exit code. */
    @Override
    public final Integer call() {
        run(root());
        return ExitCode.SUCCESS.code();
    }

    /**
     * Does what the user asked for.
     *
     * @throws CtlException if it cannot be done
     * @throws io.grpc.StatusRuntimeException if the server refuses
     */
    abstract void run(RootCommand root);

    final CommandSpec spec() {
        if (spec == null) {
            throw new IllegalStateException("not part of a command line");
        }
        return spec;
    }

    private RootCommand root() {
        if (spec().root().userObject() instanceof RootCommand root) {
            return root;
        }
        throw new IllegalStateException("not a command of the tool: " + spec().qualifiedName());
    }

    static CtlException badArguments(String message) {
        return new CtlException(ExitCode.BAD_ARGUMENTS, message);
    }
}
