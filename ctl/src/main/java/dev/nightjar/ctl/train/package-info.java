/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * The load under which a freshly built server is run once, so that the JVM's archive holds what it learned about the hot
 * paths. No part of the command line. Start reading at {@link dev.nightjar.ctl.train.Rehearsal}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.ctl.train;
