/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/** Tests of the log on disks that crash, lie and fail. Start reading at {@link dev.nightjar.consensus.log.HostileFiles}. */
@org.jspecify.annotations.NullMarked
package dev.nightjar.consensus.log;
