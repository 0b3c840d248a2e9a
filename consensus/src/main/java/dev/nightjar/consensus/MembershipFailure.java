/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

/** Why a change of members did not happen. */
public enum MembershipFailure {
    /** This member does not lead. */
    NOT_LEADER,
    /** Another change or a transfer of leadership is under way. */
    BUSY,
    /** The new member cannot be reached, or does not keep up. */
    NOT_CAUGHT_UP,
    /** Leadership went meanwhile; the change may or may not have happened, or half of it. */
    LEADERSHIP_LOST,
    /** The engine has stopped or failed. */
    STOPPED
}
