/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import dev.nightjar.consensus.MemberId;
import org.jspecify.annotations.Nullable;

/**
 * Who leads, as far as this member knows.
 *
 * @param term the term in which that is so
 * @param leader the leader, or null
 * @param leading whether that is this member and it may propose
 */
record Role(long term, @Nullable MemberId leader, boolean leading) {}
