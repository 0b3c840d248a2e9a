/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Room on the disk that is put by for the day when it is full: a file that is given back piece by piece. Any thread.
 *
 * <pre>
 *   IN FULL     all of the reserve is there: every write is taken
 *   TOUCHED     a write that was promised did not fit. A piece of the reserve made room for it. What adds data is refused;
 *               deletes, compactions and what the member itself has to write go on at the cost of the reserve
 *   LOW         little is left, and is kept for starts, compactions and alarms: deletes are refused, too
 * </pre>
 *
 * <p>Packing is lent what is above that: it writes a file before it removes others, so the reserve grows with the store.
 *
 * <p>If nothing at all is left, whoever has to write waits until somebody frees space: an entry that is in the log has to be
 * applied, and a process that ends instead would not get further at its next start. Once the disk has room enough, the
 * reserve is filled anew.
 */
final class DiskReserve implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskReserve.class);

    /** Holds the entries of the largest size that may be on their way when the disk fills, twice: in log and store. */
    static final long BYTES = 16 << 20;

    /** What one write that does not fit gets, or several of them if that is too little. */
    static final long STEP_BYTES = 256 << 10;

    /** Left to others when the reserve is filled on a disk that is still full. */
    static final long LEFT_BYTES = 1 << 20;

    /** Kept for starts, each of which writes some kilobytes, and for compaction. */
    static final long LOW_BYTES = 4 << 20;

    /** Beside the reserve so much has to be free before data is taken again: else it would be full at once. */
    static final long MARGIN_BYTES = 16 << 20;

    private static final long WAIT_MILLIS = 200;
    private static final long MOST_FREQUENT_LINE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Path file;
    private final Disk disk;
    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile long held;
    private volatile boolean touched;
    private volatile long touchedNanos;
    /** When it was last said that writes wait. Guarded by this. */
    private long toldNanos;

    private boolean told;

    /** What is asked of the disk; tests have one of their own. */
    interface Disk {
        /** Bytes that this process may still write, much if that is not known. */
        long usableBytes();
    }

    private DiskReserve(Path file, Disk disk) throws IOException {
        this.file = file;
        this.disk = disk;
        this.held = Files.exists(file) ? Files.size(file) : 0;
        this.touched = held < BYTES && !hasRoomFor(BYTES);
        this.touchedNanos = System.nanoTime();
    }

    /** The reserve of a data directory that exists. */
    static DiskReserve of(Path file) throws IOException {
        File directory = file.toAbsolutePath().resolveSibling(".").toFile();
        // File systems that do not tell say that all is 0.
        return of(file, () -> directory.getTotalSpace() == 0 ? Long.MAX_VALUE : directory.getUsableSpace());
    }

    static DiskReserve of(Path file, Disk disk) throws IOException {
        DiskReserve reserve = new DiskReserve(file, disk);
        if (reserve.touched) {
            LOG.atWarn()
                    .addKeyValue("path", file)
                    .addKeyValue("usable-bytes", disk.usableBytes())
                    .addKeyValue("reserve-bytes", reserve.held)
                    .log("the disk is full; nothing is taken that adds data");
        }
        return reserve;
    }

    /** Whether what adds data is to be refused. */
    boolean isTouched() {
        return touched;
    }

    /** Whether a write that waits is to be refused although it was taken: it would use up what is left. */
    boolean refuses(PendingWrite write) {
        if (!touched) {
            return false;
        }
        return switch (write.type()) {
            case PUT, TXN -> held < LOW_BYTES || write.submittedNanos() - touchedNanos < 0;
            case DELETE_RANGE -> held < LOW_BYTES;
            case COMPACTION, MEMBER_SET, ALARM -> false;
        };
    }

    /**
     * A write that must not fail has failed. Makes room if the reason was that there was none, and waits if it cannot.
     *
     * @return whether to try again
     */
    boolean makeRoom(IOException failure) {
        return isForWantOfRoom(failure) && (use(failure) || awaitRoom(failure));
    }

    private synchronized boolean use(IOException failure) {
        touch(failure);
        return giveBack();
    }

    /**
     * Lets packing, which gives more back than it takes, have what nobody else may touch.
     *
     * @return whether there is more room now than there was
     */
    synchronized boolean lend(Exception failure) {
        if (!(failure instanceof IOException io) || !isForWantOfRoom(io)) {
            return false;
        }
        touch(io);
        return lend();
    }

    /** The same for what does not tell why it failed. */
    synchronized boolean lend() {
        if (!touched || held <= LOW_BYTES) {
            return false;
        }
        shrinkTo(LOW_BYTES);
        unmapRemovedFiles();
        return true;
    }

    /** A file that is removed keeps its room for as long as it is mapped, which only the collector ends. */
    @SuppressWarnings("CallsToSystemGc")
    static void unmapRemovedFiles() {
        System.gc();
    }

    private boolean isForWantOfRoom(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        return message.contains("No space left on device")
                || message.contains("Disk quota exceeded")
                || disk.usableBytes() < STEP_BYTES;
    }

    private void touch(IOException failure) {
        if (!touched) {
            touchedNanos = System.nanoTime();
            touched = true;
            LOG.atWarn()
                    .addKeyValue("reserve-bytes", held)
                    .addKeyValue("error", failure.getMessage())
                    .log("the disk is full; nothing more is taken that adds data");
        }
    }

    private boolean giveBack() {
        if (held == 0) {
            return false;
        }
        shrinkTo(Math.max(0, held - STEP_BYTES));
        return true;
    }

    private void shrinkTo(long bytes) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
            held = bytes;
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("error", e.toString()).log("could not give back the reserve on the disk");
            held = 0;
        }
    }

    private synchronized void tellWaiting(IOException failure) {
        long now = System.nanoTime();
        if (!told || now - toldNanos > MOST_FREQUENT_LINE_NANOS) {
            told = true;
            toldNanos = now;
            LOG.atError()
                    .addKeyValue("error", failure.getMessage())
                    .log("the disk is full and the reserve used up; writes wait until there is room");
        }
    }

    private boolean awaitRoom(IOException failure) {
        tellWaiting(failure);
        try {
            return !closing.await(WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean hasRoomFor(long reserve) {
        return disk.usableBytes() >= reserve - held + MARGIN_BYTES;
    }

    /**
     * Fills what is missing, as far as the disk has room; on the maintenance thread, now and then. On a disk that stays full
     * this takes what a compaction has given back before others do.
     *
     * @param packingBytes what packing may need for a file before it can give one back
     */
    synchronized void refill(long packingBytes) {
        if (!touched && held > BYTES + packingBytes) {
            shrinkTo(BYTES + packingBytes);
        } else if (hasRoomFor(BYTES + packingBytes)) {
            fill(BYTES + packingBytes);
        } else if (hasRoomFor(BYTES)) {
            fill(BYTES);
        } else {
            fill(Math.min(BYTES, held + disk.usableBytes() - LEFT_BYTES));
        }
        if (touched && held >= BYTES && hasRoomFor(BYTES)) {
            touched = false;
            told = false;
            LOG.atInfo().addKeyValue("reserve-bytes", held).log("the disk has room again");
        }
    }

    private void fill(long target) {
        if (held >= target) {
            return;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            // Noise, as file systems that compress keep no room for zeros.
            byte[] noise = new byte[(int) STEP_BYTES];
            new SplittableRandom(held).nextBytes(noise);
            ByteBuffer piece = ByteBuffer.allocateDirect(noise.length).put(noise);
            while (held < target) {
                piece.clear().limit((int) Math.min(STEP_BYTES, target - held));
                while (piece.hasRemaining()) {
                    long before = held;
                    held = before + channel.write(piece, before);
                }
            }
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("error", e.toString()).log("could not put by a reserve on the disk");
        }
    }

    /** Nobody waits for room any more. */
    @Override
    public void close() {
        closing.countDown();
    }
}
