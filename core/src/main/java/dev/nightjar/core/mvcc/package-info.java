/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * Keys with their history: every change makes a revision, and the state at any revision that has not been compacted can
 * be read. An index in memory ({@link dev.nightjar.core.mvcc.KeyIndex}) leads from a key to places of records in
 * {@link dev.nightjar.core.storage}.
 *
 * <p>The apply thread writes; any thread reads at the published revision; one maintenance thread compacts. Depends on
 * core.storage only. Start reading at {@link dev.nightjar.core.mvcc.MvccStore}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.core.mvcc;
