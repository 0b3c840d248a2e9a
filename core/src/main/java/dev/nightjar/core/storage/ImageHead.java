/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The first chunk of an image: which part of the log the owner need not read again. Immutable.
 *
 * @param storeId the log's name
 * @param checksum of the log's bytes just before the position: copies of a log that have grown apart have the same name
 * @param position everything in the log before it is in the image; some of what follows may be, too
 * @param revision newest main revision before the position
 * @param forgottenRevision the image holds nothing that a change at or below it has superseded
 * @param resetPlace place of the newest reset of the rows at that time, 0 if there was none
 * @param accounts of the files before the position, by file id
 */
record ImageHead(
        long storeId,
        int checksum,
        long position,
        long revision,
        long forgottenRevision,
        long resetPlace,
        Map<Integer, Account> accounts) {

    private static final int FIXED_BYTES = 48;
    private static final int ACCOUNT_BYTES = 28;

    /** What a segment counts besides what a look at its frames tells. */
    record Account(long rowBytes, long releasedPuts, long releasedTombstones) {}

    ImageHead {
        accounts = Map.copyOf(accounts);
    }

    int sequence() {
        return Place.sequence(position);
    }

    /** Offset of the position in the segment that it lies in. */
    long offset() {
        return Place.offset(position);
    }

    ByteBuffer encode() {
        ByteBuffer bytes = ImageFormat.allocate(FIXED_BYTES + accounts.size() * ACCOUNT_BYTES);
        bytes.putLong(storeId)
                .putInt(checksum)
                .putLong(position)
                .putLong(revision)
                .putLong(forgottenRevision)
                .putLong(resetPlace);
        bytes.putInt(accounts.size());
        accounts.forEach((fileId, account) -> bytes.putInt(fileId)
                .putLong(account.rowBytes)
                .putLong(account.releasedPuts)
                .putLong(account.releasedTombstones));
        return bytes.flip();
    }

    /** Reads what {@link #encode} wrote; throws a runtime exception if it is something else. */
    static ImageHead decode(ByteBuffer bytes) {
        long storeId = bytes.getLong();
        int checksum = bytes.getInt();
        long position = bytes.getLong();
        long revision = bytes.getLong();
        long forgottenRevision = bytes.getLong();
        long resetPlace = bytes.getLong();
        int count = bytes.getInt();
        Map<Integer, Account> accounts = new HashMap<>();
        for (int i = 0; i < count; i++) {
            accounts.put(bytes.getInt(), new Account(bytes.getLong(), bytes.getLong(), bytes.getLong()));
        }
        return new ImageHead(storeId, checksum, position, revision, forgottenRevision, resetPlace, accounts);
    }
}
