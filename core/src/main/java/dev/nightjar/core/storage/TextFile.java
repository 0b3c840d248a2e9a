/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import dev.nightjar.core.storage.FileSystem.StoreFile;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * A small file of named values that a human can read, replaced as a whole; stateless.
 *
 * <pre>
 *   nightjar store
 *   format 1
 *   data data-00000001
 *   crc32c 9ae0daaf
 * </pre>
 */
final class TextFile {

    private static final int FORMAT_VERSION = 1;
    /** Nothing that is written is near it; anything larger is not ours. */
    private static final int MAX_BYTES = 4096;

    private static final String CRC = "crc32c ";

    private TextFile() {}

    /** Writes the file durably under a temporary name and puts it in place in one step. */
    static void write(FileSystem files, Path path, String kind, Map<String, String> values) throws IOException {
        StringBuilder text = new StringBuilder();
        text.append("nightjar ").append(kind).append('\n');
        text.append("format ").append(FORMAT_VERSION).append('\n');
        values.forEach(
                (name, value) -> text.append(name).append(' ').append(value).append('\n'));
        String crc = crc(text.toString());
        text.append(CRC).append(crc).append('\n');
        Path temporary = path.resolveSibling(path.getFileName() + ".tmp");
        if (files.exists(temporary)) {
            files.delete(temporary);
        }
        try (StoreFile file = files.open(temporary, true)) {
            Segment.writeFully(file, ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)), 0);
            file.sync();
        }
        files.rename(temporary, path);
        files.syncDirectory(parent(path));
    }

    /** Reads the values of a file that {@link #write} wrote. */
    static Map<String, String> read(FileSystem files, Path path, String kind) throws IOException {
        String text = text(files, path);
        if (!text.startsWith("nightjar " + kind + "\nformat ")) {
            throw new CorruptStoreException(path, 0, "not a nightjar " + kind + " file");
        }
        int crcAt = text.lastIndexOf(CRC);
        if (crcAt < 0 || !text.substring(crcAt).equals(CRC + crc(text.substring(0, crcAt)) + '\n')) {
            throw new CorruptStoreException(path, 0, "checksum does not match");
        }
        Map<String, String> values = new LinkedHashMap<>();
        text.substring(0, crcAt).lines().skip(1).forEach(line -> {
            int space = line.indexOf(' ');
            values.put(line.substring(0, Math.max(space, 0)), line.substring(space + 1));
        });
        if (!Integer.toString(FORMAT_VERSION).equals(values.get("format"))) {
            throw new IOException(path + " has format " + values.get("format") + "; this version reads format "
                    + FORMAT_VERSION + " only");
        }
        return values;
    }

    static Path parent(Path path) {
        Path parent = path.getParent();
        return parent == null ? Path.of("") : parent;
    }

    private static String text(FileSystem files, Path path) throws IOException {
        try (StoreFile file = files.open(path, false);
                FileImage image = new FileImage()) {
            long size = file.size();
            if (size == 0 || size > MAX_BYTES) {
                throw new CorruptStoreException(path, 0, "has " + size + " bytes");
            }
            return new String(image.read(file, path).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
        }
    }

    private static String crc(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }
}
