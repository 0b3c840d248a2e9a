/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * The servers under test as operating system processes: Nightjar, and a real etcd to measure the scenarios themselves.
 *
 * <p>A scenario is written once against {@link dev.nightjar.verify.driver.ServerUnderTest} and runs on every kind that
 * {@link dev.nightjar.verify.driver.ServerKind#selected()} names. Start reading at {@code ServerUnderTest}, then
 * {@code ApiClient} and {@code WatchCall}, the two ways to talk to it.
 */
@NullMarked
package dev.nightjar.verify.driver;

import org.jspecify.annotations.NullMarked;
