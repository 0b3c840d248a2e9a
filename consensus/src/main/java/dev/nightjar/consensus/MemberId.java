/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

/** A member's identity in the log, apart from its addresses. Text form: lower-case hex without padding. */
public record MemberId(long value) implements Comparable<MemberId> {

    /** Parses the text form. */
    public static MemberId parse(String hex) {
        return new MemberId(Long.parseUnsignedLong(hex, 16));
    }

    @Override
    public int compareTo(MemberId other) {
        return Long.compareUnsigned(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toHexString(value);
    }
}
