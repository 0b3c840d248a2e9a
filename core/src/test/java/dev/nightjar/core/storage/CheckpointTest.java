/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import static dev.nightjar.core.storage.LogSteps.all;
import static dev.nightjar.core.storage.LogSteps.append;
import static dev.nightjar.core.storage.LogSteps.info;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a checkpoint of a log is, and when it is not taken for one. */
class CheckpointTest {

    private final HostileFileSystem files = new HostileFileSystem();

    @Test
    void checkpointOpensEqualAndSharesNothingThatIsStillWritten() throws IOException {
        Path copy = Path.of("/copy");
        files.createDirectories(copy);
        List<String> before;
        try (SegmentLog log = open()) {
            for (int revision = 2; revision < 100; revision++) {
                append(log, revision, "k" + revision, "value");
            }
            before = all(log);
            log.cut();
            log.checkpoint(copy);
            for (int revision = 100; revision < 200; revision++) {
                append(log, revision, "k" + revision, "value");
            }
        }
        SegmentLog.restore(options(), copy);
        try (SegmentLog log = open()) {
            assertThat(all(log)).isEqualTo(before);
            assertThat(log.last()).isEqualTo(info(99, 99));
            append(log, 100, "other", "value");
        }
        try (SegmentLog log = open()) {
            assertThat(all(log)).hasSize(before.size() + 1);
        }
        // What was written after the restore did not reach the copy.
        SegmentLog.restore(new SegmentLog.Options(files, Path.of("/third"), 2048, 9, Runnable::run), copy);
    }

    @Test
    void checkpointOfAFreshLogCanBeRestored() throws IOException {
        Path copy = Path.of("/copy");
        files.createDirectories(copy);
        try (SegmentLog log = open()) {
            log.cut();
            log.checkpoint(copy);
        }
        SegmentLog.restore(options(), copy);
        try (SegmentLog log = open()) {
            assertThat(all(log)).isEmpty();
            assertThat(log.last()).isEqualTo(FrameInfo.FRESH);
        }
    }

    @Test
    void damagedCheckpointIsRefusedAndTheLogStays() throws IOException {
        Path copy = Path.of("/copy");
        files.createDirectories(copy);
        try (SegmentLog log = open()) {
            for (int revision = 2; revision < 20; revision++) {
                append(log, revision, "k" + revision, "value");
            }
            log.cut();
            log.checkpoint(copy);
        }
        try (SegmentLog other = SegmentLog.open(other(files))) {
            append(other, 2, "other", "1");
        }
        Path segment = copy.resolve(files.list(copy).getFirst());
        int length = files.content(segment).length;
        HostileFileSystem cut = files.copy();
        cut.truncate(segment, length - 1);
        assertRestoreFails(cut, copy);
        HostileFileSystem cutAtFrame = files.copy();
        cutAtFrame.truncate(segment, SegmentHeader.BYTES);
        assertRestoreFails(cutAtFrame, copy);
        HostileFileSystem lost = files.copy();
        lost.lose(segment);
        assertRestoreFails(lost, copy);
        HostileFileSystem incomplete = files.copy();
        incomplete.lose(copy.resolve("checkpoint"));
        assertRestoreFails(incomplete, copy);
        for (int at = 0; at < length; at++) {
            HostileFileSystem flipped = files.copy();
            flipped.flip(segment, at, 1);
            assertRestoreFails(flipped, copy);
        }
        HostileFileSystem longer = files.copy();
        try (FileSystem.StoreFile file = longer.open(segment, false)) {
            var _ = file.write(ByteBuffer.wrap(new byte[] {1}), length);
        }
        assertRestoreFails(longer, copy);
        assertThat(longer.content(segment)).as("left as it is").hasSize(length + 1);
    }

    private static SegmentLog.Options other(HostileFileSystem files) {
        return new SegmentLog.Options(files, Path.of("/other"), 2048, 8, Runnable::run);
    }

    private static void assertRestoreFails(HostileFileSystem files, Path copy) throws IOException {
        assertThatThrownBy(() -> SegmentLog.restore(other(files), copy)).isInstanceOf(IOException.class);
        try (SegmentLog log = SegmentLog.open(other(files))) {
            assertThat(all(log)).containsExactly("2 other 1");
        }
    }

    private SegmentLog open() throws IOException {
        return SegmentLog.open(options());
    }

    private SegmentLog.Options options() {
        return new SegmentLog.Options(files, Path.of("/store"), 2048, 7, Runnable::run);
    }
}
