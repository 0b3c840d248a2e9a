/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;
import java.util.Locale;

/** The formats to choose from; any thread. */
public enum OutputFormat {
    /** Lines for people and for simple scripts. */
    SIMPLE,
    /** A name and a value a line. */
    FIELDS,
    /** One JSON value, bytes in base64. */
    JSON,
    /** The message of the server as it is; not for endpoints. */
    PROTOBUF,
    /** A table with a frame; only for members and endpoints. */
    TABLE;

    /**
     * A printer for calls on keys.
     *
     * @throws CtlException if the format has no form for them
     */
    public KeyPrinter keyPrinter(Output output, boolean hex) {
        return switch (this) {
            case SIMPLE -> new SimplePrinter(output, hex);
            case FIELDS -> new FieldsPrinter(output, hex);
            case JSON -> new JsonPrinter(output, hex);
            case PROTOBUF -> new ProtobufPrinter(output);
            case TABLE -> throw unsupported();
        };
    }

    /** A printer for members. */
    public MemberPrinter memberPrinter(Output output, boolean hex) {
        return switch (this) {
            case SIMPLE -> new SimplePrinter(output, hex);
            case FIELDS -> new FieldsPrinter(output, hex);
            case JSON -> new JsonPrinter(output, hex);
            case PROTOBUF -> new ProtobufPrinter(output);
            case TABLE -> new TablePrinter(output);
        };
    }

    /**
     * A printer for alarms.
     *
     * @throws CtlException if the format has no form for them
     */
    public AlarmPrinter alarmPrinter(Output output, boolean hex) {
        return switch (this) {
            case SIMPLE -> new SimplePrinter(output, hex);
            case FIELDS -> new FieldsPrinter(output, hex);
            case JSON -> new JsonPrinter(output, hex);
            case PROTOBUF -> new ProtobufPrinter(output);
            case TABLE -> throw unsupported();
        };
    }

    /**
     * A printer for endpoints.
     *
     * @throws CtlException if the format has no form for them
     */
    public EndpointPrinter endpointPrinter(Output output, boolean hex) {
        return switch (this) {
            case SIMPLE -> new SimplePrinter(output, hex);
            case FIELDS -> new FieldsPrinter(output, hex);
            case JSON -> new JsonPrinter(output, hex);
            case PROTOBUF -> throw unsupported();
            case TABLE -> new TablePrinter(output);
        };
    }

    /**
     * The format of a name.
     *
     * @throws CtlException if there is none
     */
    public static OutputFormat of(String name) {
        for (OutputFormat format : values()) {
            if (format.label().equals(name)) {
                return format;
            }
        }
        throw new CtlException(ExitCode.UNSUPPORTED, "unsupported output format");
    }

    private CtlException unsupported() {
        return new CtlException(ExitCode.UNSUPPORTED, label() + " not supported as output format");
    }

    private String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
