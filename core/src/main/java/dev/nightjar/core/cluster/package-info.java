/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * The cluster as the replicated state knows it. Purpose: names and addresses behind member ids, and the alarms that
 * members raised. The apply thread writes, anyone reads an immutable view. May depend on {@code core.mvcc} and the messages of the API. Start
 * reading at {@link dev.nightjar.core.cluster.MemberRegistry}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.core.cluster;
