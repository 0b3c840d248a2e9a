/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.nio.file.Path;
import java.util.List;

/** The servers that a scenario can run on; stateless, any thread. */
public enum ServerKind {
    /** The server of this project, from the classes of this build. */
    NIGHTJAR {
        @Override
        public ServerUnderTest on(Path directory, List<String> flags) {
            return new NightjarProcess(directory, flags);
        }
    },
    /** A real etcd: it proves the scenario, not the server. */
    ETCD {
        @Override
        public ServerUnderTest on(Path directory, List<String> flags) {
            return new EtcdProcess(directory, flags);
        }
    };

    /** System property: absent or {@code false} = Nightjar, {@code true} = Nightjar and etcd, {@code only} = etcd. */
    public static final String PEER_PROPERTY = "nightjar.verify.peer";

    /** A server, not yet started, whose files are all below {@code directory}; {@code flags} are added to the usual ones. */
    public abstract ServerUnderTest on(Path directory, List<String> flags);

    /** The kinds that scenarios run on in this build. */
    public static List<ServerKind> selected() {
        String peer = System.getProperty(PEER_PROPERTY, "false");
        return switch (peer) {
            case "false" -> List.of(NIGHTJAR);
            case "true" -> List.of(NIGHTJAR, ETCD);
            case "only" -> List.of(ETCD);
            default -> throw new IllegalArgumentException(PEER_PROPERTY + " is false, true or only, not " + peer);
        };
    }
}
