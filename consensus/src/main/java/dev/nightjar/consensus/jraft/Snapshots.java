/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import dev.nightjar.consensus.StateMachine;
import dev.nightjar.consensus.log.DiskFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Moves snapshots between the state machine and the engine's directories. Apply thread; the end of a save on any thread. */
final class Snapshots {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

    private final StateMachine stateMachine;

    Snapshots(StateMachine stateMachine) {
        this.stateMachine = stateMachine;
    }

    /** Lets the state machine save itself and registers its files. A failure leaves the older snapshot in place. */
    void save(SnapshotWriter writer, Closure done) {
        Path directory = Path.of(writer.getPath());
        CompletableFuture<Void> saved;
        try {
            saved = stateMachine.saveSnapshot(directory);
        } catch (IOException | RuntimeException | Error e) {
            saved = CompletableFuture.failedFuture(e);
        }
        var _ = saved.whenComplete((_, failure) -> {
            if (failure != null) {
                LOG.warn("could not save a snapshot", failure);
                done.run(new Status(RaftError.ECANCELED, "%s", String.valueOf(failure.getMessage())));
            } else {
                done.run(register(directory, writer));
            }
        });
    }

    private static Status register(Path directory, SnapshotWriter writer) {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.toList()) {
                if (Files.isDirectory(path)) {
                    DiskFiles.syncDirectory(path);
                } else if (!writer.addFile(directory.relativize(path).toString(), SnapshotFiles.describe(path))) {
                    return new Status(RaftError.ECANCELED, "cannot add %s", path.toString());
                }
            }
            return Status.OK();
        } catch (IOException e) {
            LOG.warn("could not list the files of a snapshot", e);
            return new Status(RaftError.ECANCELED, "%s", String.valueOf(e.getMessage()));
        }
    }

    /**
     * Gives the state machine a snapshot. The engine has synced the files that it received, but not the directories that
     * hold them, and after this the log may lose what the snapshot has.
     */
    void load(SnapshotReader reader, long lastIncludedIndex) throws IOException {
        Path directory = Path.of(reader.getPath());
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.filter(Files::isDirectory).toList()) {
                DiskFiles.syncDirectory(path);
            }
        }
        stateMachine.loadSnapshot(directory, lastIncludedIndex);
    }
}
