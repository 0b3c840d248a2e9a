/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.nio.file.Path;

/**
 * One thing that is not as it was written.
 *
 * @param kind what a start would make of it
 * @param file where it is
 * @param offset in bytes, of the frame, header or chunk that is bad
 * @param what the sentence for the operator, without file and offset
 */
public record Finding(Kind kind, String file, long offset, String what) {

    /** What a start would make of a finding. */
    public enum Kind {
        /** Something that was safe on disk has changed or is gone. */
        DAMAGE,
        /** An interrupted write, or a file that nobody needs: a start cuts it off or removes it, and nothing is lost. */
        CUT_AT_START
    }

    static Finding damage(Path file, long offset, String what) {
        return new Finding(Kind.DAMAGE, file.toString(), offset, what);
    }

    static Finding cutAtStart(Path file, long offset, String what) {
        return new Finding(Kind.CUT_AT_START, file.toString(), offset, what);
    }

    /** What an exception says. */
    public static Finding damage(CorruptStoreException damage) {
        return new Finding(Kind.DAMAGE, damage.file(), damage.offset(), damage.what());
    }

    public boolean isDamage() {
        return kind == Kind.DAMAGE;
    }
}
