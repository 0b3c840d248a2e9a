/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import dev.nightjar.core.mvcc.KvView;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.RangeResult;
import java.util.function.Predicate;

/** What the parts of a transaction read from: the store at one revision, or a write under way. */
interface KvReader {
    /** For few keys. */
    RangeResult range(RangeQuery query);

    /** For any number of keys: shows them in their order until the visitor returns false. */
    void walk(RangeQuery query, Predicate<KvView> visitor);
}
