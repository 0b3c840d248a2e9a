/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

/** What a command of the log asks for; the numbers are part of the log's format. */
public enum CommandType {
    /** Body: PutRequest. */
    PUT(1),
    /** Body: DeleteRangeRequest. */
    DELETE_RANGE(2),
    /** Body: TxnRequest. */
    TXN(3),
    /** Body: CompactionRequest. */
    COMPACTION(4),
    /** Body: Member; registers a member or changes its attributes. */
    MEMBER_SET(5),
    /** Body: AlarmRequest. */
    ALARM(6);

    private final int number;

    CommandType(int number) {
        this.number = number;
    }

    /** The number in the log. */
    public int number() {
        return number;
    }

    /** The type of a number found in the log. */
    public static CommandType of(int number) {
        return switch (number) {
            case 1 -> PUT;
            case 2 -> DELETE_RANGE;
            case 3 -> TXN;
            case 4 -> COMPACTION;
            case 5 -> MEMBER_SET;
            case 6 -> ALARM;
            default ->
                throw new IllegalStateException(
                        "the log holds a command of type " + number + ", which this version does not know");
        };
    }
}
