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
    SIMPLE {
        @Override
        public KeyPrinter keyPrinter(Output output, boolean hex) {
            return new SimplePrinter(output, hex);
        }

        @Override
        public MemberPrinter memberPrinter(Output output, boolean hex) {
            return new SimplePrinter(output, hex);
        }

        @Override
        public EndpointPrinter endpointPrinter(Output output, boolean hex) {
            return new SimplePrinter(output, hex);
        }
    },
    /** A name and a value a line. */
    FIELDS {
        @Override
        public KeyPrinter keyPrinter(Output output, boolean hex) {
            return new FieldsPrinter(output, hex);
        }

        @Override
        public MemberPrinter memberPrinter(Output output, boolean hex) {
            return new FieldsPrinter(output, hex);
        }

        @Override
        public EndpointPrinter endpointPrinter(Output output, boolean hex) {
            return new FieldsPrinter(output, hex);
        }
    },
    /** One JSON value, bytes in base64. */
    JSON {
        @Override
        public KeyPrinter keyPrinter(Output output, boolean hex) {
            return new JsonPrinter(output, hex);
        }

        @Override
        public MemberPrinter memberPrinter(Output output, boolean hex) {
            return new JsonPrinter(output, hex);
        }

        @Override
        public EndpointPrinter endpointPrinter(Output output, boolean hex) {
            return new JsonPrinter(output, hex);
        }
    },
    /** The message of the server as it is; not for endpoints. */
    PROTOBUF {
        @Override
        public KeyPrinter keyPrinter(Output output, boolean hex) {
            return new ProtobufPrinter(output);
        }

        @Override
        public MemberPrinter memberPrinter(Output output, boolean hex) {
            return new ProtobufPrinter(output);
        }

        @Override
        public EndpointPrinter endpointPrinter(Output output, boolean hex) {
            throw unsupported(this);
        }
    },
    /** A table with a frame; only for members and endpoints. */
    TABLE {
        @Override
        public KeyPrinter keyPrinter(Output output, boolean hex) {
            throw unsupported(this);
        }

        @Override
        public MemberPrinter memberPrinter(Output output, boolean hex) {
            return new TablePrinter(output);
        }

        @Override
        public EndpointPrinter endpointPrinter(Output output, boolean hex) {
            return new TablePrinter(output);
        }
    };

    /**
     * A printer for calls on keys.
     *
     * @throws CtlException if the format has no form for them
     */
    public abstract KeyPrinter keyPrinter(Output output, boolean hex);

    /**
     * A printer for members.
     *
     * @throws CtlException if the format has no form for them
     */
    public abstract MemberPrinter memberPrinter(Output output, boolean hex);

    /**
     * A printer for endpoints.
     *
     * @throws CtlException if the format has no form for them
     */
    public abstract EndpointPrinter endpointPrinter(Output output, boolean hex);

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

    static CtlException unsupported(OutputFormat format) {
        return new CtlException(ExitCode.UNSUPPORTED, format.label() + " not supported as output format");
    }

    private String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
