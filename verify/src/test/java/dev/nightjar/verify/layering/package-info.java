/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * Rules about the code itself: who may depend on whom, and that the guided tour through it still leads somewhere.
 */
@NullMarked
package dev.nightjar.verify.layering;

import org.jspecify.annotations.NullMarked;
