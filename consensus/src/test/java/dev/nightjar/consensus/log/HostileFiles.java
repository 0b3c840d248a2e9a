/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A directory in memory that behaves like the worst disk that keeps its promises: what was not synced may be lost at a crash,
 * in any order and in pieces; names last only after a sync of the directory. It can fail, write half, or crash at a chosen
 * step.
 */
public final class HostileFiles implements LogFiles {
    /** What a disk writes as a whole. */
    static final int SECTOR_BYTES = 512;

    /** What happens at the chosen step. */
    public enum Fault {
        /** The step fails and has no effect. */
        ERROR,
        /** A write writes half and fails; any other step fails. */
        SHORT,
        /** The step and all after it fail, as if the power had gone before it. */
        CRASH
    }

    private final Map<String, Inode> names = new HashMap<>();
    private final Map<String, Inode> durableNames = new HashMap<>();
    private final List<Map<String, Inode>> nameSteps = new ArrayList<>();
    private int steps;
    private int faultStep = -1;
    private Fault fault = Fault.ERROR;
    private boolean crashed;
    private long reads;
    private long bytesRead;
    private long syncs;

    /** Number of steps that changed something, so far. */
    public synchronized int steps() {
        return steps;
    }

    /** Number of reads so far. */
    public synchronized long reads() {
        return reads;
    }

    /** Number of syncs of files so far. */
    public synchronized long syncs() {
        return syncs;
    }

    /** Number of bytes read so far. */
    public synchronized long bytesRead() {
        return bytesRead;
    }

    /** Lets the step with this number (from 0) go wrong. */
    public synchronized void failAt(int step, Fault what) {
        faultStep = step;
        fault = what;
    }

    /** Lets the next step go wrong. */
    public synchronized void failNext(Fault what) {
        failAt(steps, what);
    }

    /** The content of a file as it reads now. */
    public synchronized byte[] content(String name) throws IOException {
        return inode(name).current.clone();
    }

    /** Replaces the content of a file, as if a disk had lost its memory. */
    public synchronized void damage(String name, byte[] content) throws IOException {
        inode(name).current = content.clone();
        inode(name).durable = content.clone();
    }

    /** Removes a file behind the log's back. */
    public synchronized void lose(String name) {
        names.remove(name);
        durableNames.remove(name);
    }

    /** What a new process finds after a power cut now. Everything synced is there; of the rest, what {@code random} says. */
    public synchronized HostileFiles afterPowerCut(Random random) {
        HostileFiles after = new HostileFiles();
        Map<String, Inode> found = durableNames;
        if (!nameSteps.isEmpty()) {
            int kept = random.nextInt(nameSteps.size() + 1);
            found = kept == 0 ? durableNames : nameSteps.get(kept - 1);
        }
        found.forEach((name, inode) -> after.put(name, inode.afterPowerCut(random)));
        return after;
    }

    /** What a new process finds after the old one was killed now: everything, for the system has it all. */
    public synchronized HostileFiles afterKill() {
        HostileFiles after = new HostileFiles();
        names.forEach((name, inode) -> after.put(name, inode.current));
        return after;
    }

    private void put(String name, byte[] content) {
        Inode inode = new Inode();
        inode.current = content.clone();
        inode.durable = content.clone();
        names.put(name, inode);
        durableNames.put(name, inode);
    }

    /** Counts a step; returns true if it is to be done by half. */
    private boolean step() throws IOException {
        if (crashed) {
            throw new IOException("the power is gone");
        }
        boolean wrong = steps++ == faultStep;
        if (wrong && fault == Fault.CRASH) {
            crashed = true;
            throw new IOException("the power goes");
        }
        if (wrong && fault == Fault.ERROR) {
            throw new IOException("no space left on device");
        }
        return wrong;
    }

    private void wholeStep() throws IOException {
        if (step()) {
            throw new IOException("input/output error");
        }
    }

    private Inode inode(String name) throws IOException {
        Inode inode = names.get(name);
        if (inode == null) {
            throw new FileNotFoundException(name);
        }
        return inode;
    }

    private void namesChanged() {
        nameSteps.add(new HashMap<>(names));
        notifyAll();
    }

    /** Waits until the names of the files are as wanted; the test's own limit ends a wait in vain. */
    public synchronized void awaitNames(Predicate<List<String>> wanted) throws InterruptedException {
        while (!wanted.test(list())) {
            wait(1000);
        }
    }

    @Override
    public synchronized List<String> list() {
        return List.copyOf(names.keySet());
    }

    @Override
    public synchronized boolean exists(String name) {
        return names.containsKey(name);
    }

    @Override
    public synchronized LogFile open(String name) throws IOException {
        return new HostileFile(inode(name));
    }

    @Override
    public synchronized LogFile create(String name) throws IOException {
        wholeStep();
        Inode inode = new Inode();
        names.put(name, inode);
        namesChanged();
        return new HostileFile(inode);
    }

    @Override
    public synchronized void rename(String from, String to) throws IOException {
        wholeStep();
        Inode inode = inode(from);
        names.remove(from);
        names.put(to, inode);
        namesChanged();
    }

    @Override
    public synchronized void delete(String name) throws IOException {
        wholeStep();
        names.remove(name);
        namesChanged();
    }

    @Override
    public synchronized void syncDirectory() throws IOException {
        wholeStep();
        durableNames.clear();
        durableNames.putAll(names);
        nameSteps.clear();
    }

    @Override
    public String describe(String name) {
        return "hostile/" + name;
    }

    /** A file's bytes: as they read, and as they are on the disk. */
    private static final class Inode {
        private byte[] current = {};
        private byte[] durable = {};

        /** Each sector is old or new, one by one, and so is the size. A cut comes as a whole or not at all. */
        byte[] afterPowerCut(Random random) {
            int size = random.nextBoolean() ? current.length : durable.length;
            byte[] after = new byte[size];
            for (int at = 0; at < size; at += SECTOR_BYTES) {
                int end = Math.min(size, at + SECTOR_BYTES);
                boolean cutAway = size > current.length && end > current.length;
                byte[] from = cutAway || random.nextBoolean() ? durable : current;
                if (at < from.length) {
                    System.arraycopy(from, at, after, at, Math.min(end, from.length) - at);
                }
            }
            return after;
        }
    }

    /** An open file. */
    private final class HostileFile implements LogFile {
        private @Nullable Inode inode;

        HostileFile(Inode inode) {
            this.inode = inode;
        }

        private Inode inode() throws IOException {
            if (inode == null) {
                throw new ClosedChannelException();
            }
            return inode;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            synchronized (HostileFiles.this) {
                byte[] bytes = inode().current;
                int n = (int) Math.max(0, Math.min(target.remaining(), bytes.length - position));
                target.put(bytes, (int) position, n);
                reads++;
                bytesRead += n;
                return n;
            }
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            synchronized (HostileFiles.this) {
                boolean half = step();
                int n = half ? source.remaining() / 2 : source.remaining();
                int end = (int) position + n;
                if (end > inode().current.length) {
                    inode().current = Arrays.copyOf(inode().current, end);
                }
                source.get(inode().current, (int) position, n);
                if (half) {
                    throw new IOException("no space left on device");
                }
            }
        }

        @Override
        public void sync() throws IOException {
            synchronized (HostileFiles.this) {
                wholeStep();
                inode().durable = inode().current.clone();
                syncs++;
            }
        }

        @Override
        public long size() throws IOException {
            synchronized (HostileFiles.this) {
                return inode().current.length;
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            synchronized (HostileFiles.this) {
                wholeStep();
                if (size < inode().current.length) {
                    inode().current = Arrays.copyOf(inode().current, (int) size);
                }
            }
        }

        @Override
        public void close() {
            inode = null;
        }
    }
}
