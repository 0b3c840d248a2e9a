/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.consensus.MemberId;

/**
 * Who a member is, fixed when its data directory was made.
 *
 * @param clusterId the cluster's id
 * @param memberId the member's id
 */
public record Identity(long clusterId, MemberId memberId) {}
