/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/** Tests of server.main and of the scripts. */
package dev.nightjar.server.main;
