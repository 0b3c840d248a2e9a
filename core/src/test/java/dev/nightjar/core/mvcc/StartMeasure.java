/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Measures how long a store takes to open after its process was killed. Not a test; run it by hand, in two processes:
 * {@code java -cp … dev.nightjar.core.mvcc.StartMeasure fill <empty directory> [keys]}, then {@code … open <directory>}.
 */
final class StartMeasure {

    private static final int BATCH = 64;

    private StartMeasure() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream out = System.out;
        Path directory = Path.of(arguments[1]);
        ExecutorService background = Executors.newSingleThreadExecutor();
        long start = System.nanoTime();
        SegmentLog log = SegmentLog.open(
                new SegmentLog.Options(FileSystem.real(), directory, SegmentLog.SEGMENT_BYTES, 1, background));
        long checked = System.nanoTime();
        MvccStore store = MvccStore.open(log);
        out.printf(
                "opened %d keys, revision %d: log checked in %d ms, index built in %d ms%n",
                store.keyCount(),
                store.publishedRevision(),
                (checked - start) / 1_000_000,
                (System.nanoTime() - checked) / 1_000_000);
        if (arguments[0].equals("fill")) {
            fill(store, Integer.parseInt(arguments[2]), out);
        }
        Runtime.getRuntime().halt(0);
    }

    private static void fill(MvccStore store, int keys, PrintStream out) throws IOException {
        ByteBuffer value = ByteBuffer.allocate(256);
        new Random(1).nextBytes(value.array());
        boolean imaging = false;
        int images = 0;
        long imageNanos = 0;
        for (int i = 0; i < keys; ) {
            for (int j = 0; j < BATCH && i < keys; j++, i++) {
                long scattered = i * 2_654_435_761L % keys;
                WriteTxn txn = store.begin();
                txn.put(
                        "/registry/pods/ns-%04d/app-%010d-x7f3a"
                                .formatted(scattered % 200, scattered)
                                .getBytes(UTF_8),
                        value,
                        0);
                txn.end();
            }
            store.commit(store.appliedIndex() + 1, 1);
            store.publish();
            if (imaging || store.isImageDue()) {
                long start = System.nanoTime();
                boolean before = imaging;
                imaging = store.imageStep();
                imageNanos += System.nanoTime() - start;
                images += before && !imaging ? 1 : 0;
            }
        }
        out.printf(
                "%d images, %d ms, %d bytes behind the last%n",
                images, imageNanos / 1_000_000, store.records().bytesBehindImage());
    }
}
