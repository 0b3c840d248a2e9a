/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import com.google.protobuf.ByteString;
import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Standard input line by line, as {@link RawText}; owned by the one thread that reads. */
final class InputLines {

    /** Far above what a server takes in one request, so that only input gone wrong reaches it. */
    static final int LINE_LIMIT_BYTES = 16 * 1024 * 1024;

    private final InputStream in;

    InputLines(InputStream in) {
        this.in = new BufferedInputStream(in);
    }

    /**
     * The next line without its end, or null after the last whole line.
     *
     * @throws CtlException if reading fails or the line is too long
     */
    @Nullable
    String next() {
        ByteString.Output line = ByteString.newOutput();
        try {
            for (int b = in.read(); b != '\n'; b = in.read()) {
                if (b < 0) {
                    return null;
                }
                if (line.size() == LINE_LIMIT_BYTES) {
                    throw new CtlException(
                            ExitCode.INVALID_INPUT, "a line is longer than " + LINE_LIMIT_BYTES + " bytes");
                }
                line.write(b);
            }
        } catch (IOException e) {
            throw new CtlException(ExitCode.IO, "cannot read the input: " + e.getMessage(), e);
        }
        return RawText.of(line.toByteString());
    }
}
