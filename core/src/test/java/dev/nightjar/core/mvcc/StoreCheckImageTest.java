/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static dev.nightjar.core.mvcc.CheckedStore.IMAGE;
import static dev.nightjar.core.mvcc.CheckedStore.createStore;
import static dev.nightjar.core.mvcc.CheckedStore.damages;
import static dev.nightjar.core.mvcc.CheckedStore.writeImage;
import static dev.nightjar.core.mvcc.StoreSteps.bytes;
import static dev.nightjar.core.mvcc.StoreSteps.commit;
import static dev.nightjar.core.mvcc.StoreSteps.log;
import static dev.nightjar.core.mvcc.StoreSteps.put;
import static dev.nightjar.core.mvcc.StoreSteps.putMany;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.storage.HostileFileSystem;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** An image of the index that is damaged, or says other than the log. */
class StoreCheckImageTest {

    private final HostileFileSystem files = new HostileFileSystem();

    @Test
    void aFlippedByteOfTheImageIsDamage() throws IOException {
        createStore(files);
        int size = files.content(IMAGE).length;
        for (int offset = 0; offset < size; offset += 5) {
            HostileFileSystem damaged = files.copy();
            // Bytes 12 to 15 of the file mean nothing.
            if (offset < 12 || offset >= 16) {
                damaged.flip(IMAGE, offset, 0x20);
                assertThat(damages(damaged))
                        .as("offset %d", offset)
                        .singleElement()
                        .matches(finding -> finding.file().equals(IMAGE.toString()));
            }
        }
    }

    @Test
    void anImageThatSaysOtherThanTheLogIsDamage() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, 40, "v");
            put(store, "000003", "w");
            KeyIndex index = store.index();
            TreePath path = new TreePath();
            int page = path.descend(index.root(), bytes("000003"));
            int slot = index.pages().find(page, bytes("000003"));
            index.pages().setVersion(page, slot, 9);
            writeImage(store);
        }
        assertThat(damages(files))
                .singleElement()
                .matches(finding -> finding.file().equals(IMAGE.toString())
                        && finding.what().contains("\"000003\"")
                        && finding.what().contains("version 9"));
    }

    @Test
    void keysAndRowsThatOnlyOneSideHasAreNamedUpToALimit() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            put(store, "known", "v");
            KeyIndex index = store.index();
            for (int i = 0; i < 2 * IndexComparison.MOST_DIFFERENCES; i++) {
                index.put(bytes("z" + i), 2, index.find(bytes("known"), 2));
            }
            writeImage(store);
        }
        assertThat(damages(files))
                .hasSize(IndexComparison.MOST_DIFFERENCES)
                .allMatch(finding -> finding.what().contains("which the log has not"));
    }

    @Test
    void rowsThatTheImageLacksAreNamed() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            store.putRow(3, bytes("id"), bytes("body"));
            commit(store);
            store.rows().remove(3, bytes("id"));
            writeImage(store);
        }
        assertThat(damages(files))
                .singleElement()
                .matches(finding -> finding.what().contains("0 rows, the log 1"));
    }
}
