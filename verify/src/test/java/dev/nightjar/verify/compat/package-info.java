/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * Request scripts with recorded answers: what a client reads from etcd it must read from Nightjar, field by field.
 * Start reading at {@code Script}; the scripts are in {@code src/test/resources/compat}.
 */
@NullMarked
package dev.nightjar.verify.compat;

import org.jspecify.annotations.NullMarked;
