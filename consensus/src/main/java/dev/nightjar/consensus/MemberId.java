/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import org.jspecify.annotations.Nullable;

/** A member's identity in the log, apart from its addresses. Text form: lower-case hex without padding. */
public record MemberId(long value) implements Comparable<MemberId> {

    /** Parses the text form. */
    public static MemberId parse(String hex) {
        return new MemberId(Long.parseUnsignedLong(hex, 16));
    }

    // Written out, as every start asks for it: what a record has by itself is made at the first call, which takes long.

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MemberId member && member.value == value;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(value);
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
