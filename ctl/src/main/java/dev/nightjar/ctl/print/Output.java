/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import com.google.protobuf.ByteString;
import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Standard output as UTF-8 text and raw bytes, and standard error beside it; owned by the thread that runs the command. */
public final class Output {

    private final PrintStream out;
    private final PrintStream err;

    public Output(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /** Writes text and a line end. */
    void line(String text) {
        bytes(text.getBytes(StandardCharsets.UTF_8));
        out.write('\n');
    }

    /** Writes bytes as they are and a line end. */
    void line(ByteString bytes) {
        raw(bytes);
        out.write('\n');
    }

    /** Writes bytes as they are. */
    void raw(ByteString bytes) {
        try {
            bytes.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes text and a line end to standard error. */
    void errorLine(String text) {
        byte[] utf8 = (text + "\n").getBytes(StandardCharsets.UTF_8);
        err.write(utf8, 0, utf8.length);
    }

    /**
     * Hands everything to the reader of standard output.
     *
     * @throws CtlException if there is no reader any more
     */
    void flush() {
        if (out.checkError()) {
            throw new CtlException(ExitCode.IO, "cannot write to standard output");
        }
    }

    private void bytes(byte[] bytes) {
        out.write(bytes, 0, bytes.length);
    }
}
