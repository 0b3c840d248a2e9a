/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.io.IOException;
import java.util.List;

/** One directory of files. Everything that the log does to a disk goes through here, so that tests can bring a bad disk. */
public interface LogFiles {

    /** The names of all files in the directory, in no order. */
    List<String> list() throws IOException;

    /** Whether a file of this name exists. */
    boolean exists(String name) throws IOException;

    /** Opens an existing file for reading and writing. */
    LogFile open(String name) throws IOException;

    /** Creates a file, or empties one that exists. Its name is durable after {@link #syncDirectory}. */
    LogFile create(String name) throws IOException;

    /**
     * Creates a file that the log can do without: unlike others it may fail for want of room on the disk.
     *
     * @param bytes how large it is to be; it is not begun if it would not leave as much to others
     */
    default LogFile createOptional(String name, long bytes) throws IOException {
        return create(name);
    }

    /** Renames a file in one step, replacing what has the new name. Durable after {@link #syncDirectory}. */
    void rename(String from, String to) throws IOException;

    /** Removes a file if it exists. Durable after {@link #syncDirectory}. */
    void delete(String name) throws IOException;

    /** Makes creations, renames and removals durable. */
    void syncDirectory() throws IOException;

    /** The name of a file as an operator knows it. */
    String describe(String name);
}
