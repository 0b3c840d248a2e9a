/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.main;

import dev.nightjar.consensus.ConsensusEngine;
import dev.nightjar.consensus.LogCheck;
import dev.nightjar.consensus.LogCorruptException;
import dev.nightjar.core.mvcc.StoreCheck;
import dev.nightjar.core.storage.CheckResult;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.Finding;
import dev.nightjar.server.node.StoppedMember;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code nightjar store verify}: one line a check, one more for each finding. Main thread, once. */
final class StoreVerification {

    private final StoppedMember member;
    private final PrintStream out;
    private int damages;

    StoreVerification(StoppedMember member, PrintStream out) {
        this.member = member;
        this.out = out;
    }

    /** Checks everything; returns whether nothing is damaged. */
    boolean run() throws IOException {
        report(new CheckResult(
                "format",
                "member %s of cluster %x"
                        .formatted(
                                member.identity().memberId(), member.identity().clusterId()),
                List.of()));
        long storeEnd = StoreCheck.check(FileSystem.real(), member.store(), this::report);
        LogCheck log = log();
        long snapshotEnd = snapshots(log == null ? 1 : log.firstIndex());
        if (damages == 0) {
            together(storeEnd, log, snapshotEnd);
        }
        out.println(damages == 0 ? "ok" : "damaged: " + damages + (damages == 1 ? " place" : " places"));
        return damages == 0;
    }

    /** Returns null if there is none that can be used. */
    private @Nullable LogCheck log() throws IOException {
        String subject = "consensus log";
        if (!Files.isDirectory(member.wal())) {
            report(new CheckResult(subject, "none", List.of()));
            return null;
        }
        try {
            LogCheck log = ConsensusEngine.checkLog(member.wal(), member.snapshots());
            List<Finding> findings = log.repairs().stream()
                    .map(each -> new Finding(Finding.Kind.CUT_AT_START, each.file(), each.offset(), each.what()))
                    .toList();
            report(new CheckResult(subject, "entries " + log.firstIndex() + " to " + log.lastIndex(), findings));
            return log;
        } catch (LogCorruptException e) {
            damaged(subject, new Finding(Finding.Kind.DAMAGE, e.file(), e.offset(), e.what()));
        } catch (IOException e) {
            damaged(
                    subject,
                    new Finding(Finding.Kind.DAMAGE, member.wal().toString(), 0, String.valueOf(e.getMessage())));
        }
        return null;
    }

    private void damaged(String subject, Finding finding) {
        report(new CheckResult(subject, "cannot be used", List.of(finding)));
    }

    /** What each of them cannot tell: whether one is missing, or older, in a copy that was made in part. */
    private void together(long storeEnd, @Nullable LogCheck log, long snapshotEnd) {
        if (storeEnd > 0 && log == null) {
            missing(member.wal(), "missing, though the store holds what its entry " + storeEnd + " wrote");
        } else if (storeEnd < snapshotEnd) {
            missing(
                    member.store(),
                    "files are missing: it ends at entry " + storeEnd + ", the newest snapshot at " + snapshotEnd);
        } else if (log != null && storeEnd > log.lastIndex() && storeEnd > snapshotEnd) {
            missing(
                    member.wal(),
                    "entries are missing: it ends at entry " + log.lastIndex() + ", the newest snapshot at "
                            + snapshotEnd + ", but the store in " + member.store() + " at " + storeEnd);
        }
    }

    private void missing(Path path, String what) {
        damaged("store and consensus log", new Finding(Finding.Kind.DAMAGE, path.toString(), 0, what));
    }

    /** Returns the entry at which the newest ends; 0 if there is none. What the log no longer has must be in it. */
    private long snapshots(long logBegin) throws IOException {
        Path directory = member.snapshots();
        List<Path> snapshots = ConsensusEngine.snapshots(directory);
        List<Finding> findings = new ArrayList<>(listed(directory, logBegin));
        // Only the newest counts: an older one is there because a crash came while it was removed.
        for (Path older : snapshots.subList(0, Math.max(0, snapshots.size() - 1))) {
            findings.add(new Finding(
                    Finding.Kind.CUT_AT_START, older.toString(), 0, "a newer snapshot has replaced this one"));
        }
        report(new CheckResult("snapshots", snapshots.size() + ", and the list of files", findings));
        return snapshots.isEmpty()
                ? 0
                : StoreCheck.checkCheckpoint(FileSystem.real(), snapshots.getLast(), this::report);
    }

    /** What the log and the list of the newest snapshot's files say that is not so. */
    private static List<Finding> listed(Path directory, long logBegin) {
        try {
            ConsensusEngine.checkSnapshots(directory, logBegin);
            return List.of();
        } catch (IOException e) {
            return List.of(new Finding(Finding.Kind.DAMAGE, directory.toString(), 0, String.valueOf(e.getMessage())));
        }
    }

    private void report(CheckResult result) {
        out.println(result.subject() + ": " + result.detail());
        for (Finding finding : result.findings()) {
            String kind = switch (finding.kind()) {
                case DAMAGE -> {
                    damages++;
                    yield "DAMAGED";
                }
                case CUT_AT_START -> "a start would cut off or remove";
            };
            out.println("  " + kind + ": " + finding.file() + ", offset " + finding.offset() + ": " + finding.what());
        }
    }
}
