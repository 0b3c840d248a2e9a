/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * Commands in, results out. Purpose: the one place where state changes: decodes what the log delivers, checks it against
 * the state as every member must, executes it and publishes the outcome. Owned by the apply thread, but for the request
 * checks, which are pure. May depend on {@code core.mvcc}, {@code core.watch}, {@code core.cluster} and the messages of
 * the API. Start reading at {@link dev.nightjar.core.apply.Applier}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.core.apply;
