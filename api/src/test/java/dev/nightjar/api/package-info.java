/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/** Checks of the API definition: the generated descriptors against a table of facts, and the documentation of the sources. */
@org.jspecify.annotations.NullMarked
package dev.nightjar.api;
