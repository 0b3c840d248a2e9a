/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import dev.nightjar.consensus.LogCorruptException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A small file that is replaced as a whole: after a crash it holds the old content or the new one. Owned by one thread at a
 * time. Layout: magic, version, length, CRC32C of the content (4 bytes each), content.
 */
public final class StateFile {
    private static final int MAGIC = 0x4e4a_5346; // "NJSF"
    private static final int VERSION = 1;
    private static final int HEADER_BYTES = 16;

    /** State files hold a few numbers and names. */
    static final int MAX_CONTENT_BYTES = 4096;

    private final LogFiles files;
    private final String name;
    private final boolean sync;

    public StateFile(LogFiles files, String name, boolean sync) {
        this.files = files;
        this.name = name;
        this.sync = sync;
    }

    /** The name of the file as an operator knows it. */
    public String describe() {
        return files.describe(name);
    }

    /** The content, or null if the file was never written. */
    public byte @Nullable [] read() throws IOException {
        if (!files.exists(name)) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + MAX_CONTENT_BYTES);
        try (LogFile file = files.open(name)) {
            file.read(bytes, 0);
        }
        bytes.flip();
        if (bytes.remaining() < HEADER_BYTES || bytes.getInt() != MAGIC) {
            throw new LogCorruptException(files.describe(name), 0, "not a state file");
        }
        int version = bytes.getInt();
        if (version != VERSION) {
            throw new IOException(
                    files.describe(name) + " has format version " + version + "; this program reads " + VERSION);
        }
        int length = bytes.getInt();
        int checksum = bytes.getInt();
        if (length != bytes.remaining()) {
            throw new LogCorruptException(files.describe(name), 8, "wrong length");
        }
        byte[] content = new byte[length];
        bytes.get(content);
        if (checksum != checksum(content)) {
            throw new LogCorruptException(files.describe(name), HEADER_BYTES, "wrong checksum");
        }
        return content;
    }

    /** Replaces the content. It is durable when this returns. */
    public void write(byte[] content) throws IOException {
        if (content.length > MAX_CONTENT_BYTES) {
            throw new IllegalArgumentException("state of " + content.length + " bytes");
        }
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + content.length);
        bytes.putInt(MAGIC).putInt(VERSION).putInt(content.length).putInt(checksum(content));
        bytes.put(content).flip();
        String temporary = name + ".tmp";
        try (LogFile file = files.create(temporary)) {
            file.write(bytes, 0);
            if (sync) {
                file.sync();
            }
        }
        files.rename(temporary, name);
        if (sync) {
            files.syncDirectory();
        }
    }

    private static int checksum(byte[] content) {
        CRC32C crc = new CRC32C();
        crc.update(content);
        return (int) crc.getValue();
    }
}
