/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.RangeResult;

/** What the parts of a transaction read from: the store at one revision, or a write under way. */
@FunctionalInterface
interface KvReader {
    RangeResult range(RangeQuery query);
}
