/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

/**
 * One entry of small replicated state (a member, an alarm, a lease): the latest body put for a type and an id.
 *
 * @param type kind of row, 0 to 65535, chosen by the owner of the state
 * @param id identity within the type
 * @param body content; not to be changed
 */
public record Row(int type, byte[] id, byte[] body) {}
