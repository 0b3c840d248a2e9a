/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/** Tests of the replicated log as its users see it. Start reading at the tests of a single member. */
@org.jspecify.annotations.NullMarked
package dev.nightjar.consensus;
