/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

/** Sizes of encoded watch responses, in bytes, as Protocol Buffers lay them out; any thread. */
final class ResponseSize {
    /** {@code fragment = true}: tag and value. */
    static final int FRAGMENT_FLAG_BYTES = 2;

    private static final int TAG_BYTES = 1;
    private static final int DELETE_TYPE_BYTES = 2;

    private ResponseSize() {}

    /** Everything but the events and the fragment flag. A watch id of 0 is left out on the wire. */
    static long base(int headerBytes, long watchId) {
        return (long) headerBytes + (watchId == 0 ? 0 : TAG_BYTES + varint(watchId));
    }

    /**
     * One event as it stands in a response, with its tag and length.
     *
     * @param keyValueBytes length of the encoded KeyValue
     * @param previousBytes length of the encoded previous KeyValue, -1 for none
     */
    static long event(boolean delete, int keyValueBytes, int previousBytes) {
        long content = (delete ? DELETE_TYPE_BYTES : 0) + delimited(keyValueBytes);
        if (previousBytes >= 0) {
            content += delimited(previousBytes);
        }
        return delimited(content);
    }

    /** Length of a field that holds so many bytes, with its tag of one byte. */
    static long delimited(long contentBytes) {
        return TAG_BYTES + varint(contentBytes) + contentBytes;
    }

    /** Length of a 64-bit number; a negative one takes ten bytes. */
    static int varint(long value) {
        return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7);
    }
}
