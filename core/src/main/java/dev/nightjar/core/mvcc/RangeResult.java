/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.util.List;

/**
 * The answer to a {@link RangeQuery}.
 *
 * @param revision the revision that was read
 * @param count number of keys in the range at that revision, before filters and limit
 * @param more whether the limit cut keys off
 * @param kvs the keys in the asked order
 */
public record RangeResult(long revision, long count, boolean more, List<KvView> kvs) {}
