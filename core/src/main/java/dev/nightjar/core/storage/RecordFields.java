/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

/** The numbers of a change that is being written. Apply thread; one instance is used over and over. */
public final class RecordFields {
    public long revision;
    public int sub;
    /** Revision and place of the record that is replaced, both 0 if the key did not exist. */
    public long previousRevision;

    public long previousPlace;

    public long createRevision;
    public long version;
    public long lease;
}
