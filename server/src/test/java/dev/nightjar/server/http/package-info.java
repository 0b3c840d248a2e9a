/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/** Tests of server.http. */
package dev.nightjar.server.http;
