/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;

/** Where records live, in order of revision, written a frame at a time. */
public interface RecordStore extends AutoCloseable {

    @Override
    void close() throws IOException;
}
