/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.apply.CommandType;
import dev.nightjar.core.apply.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class DiskReserveTest {
    private final IOException full = new IOException("a/file: write: No space left on device");
    private static final long PLENTY = 1L << 40;

    @TempDir
    Path directory;

    private long usable = PLENTY;
    private DiskReserve reserve;

    @BeforeEach
    void create() throws IOException {
        reserve = open();
    }

    private DiskReserve open() throws IOException {
        return DiskReserve.of(directory.resolve("reserve"), () -> usable);
    }

    private long held() throws IOException {
        return Files.size(directory.resolve("reserve"));
    }

    private static PendingWrite write(CommandType type) {
        PendingWrite write = new PendingWrite(type, new byte[0], Runnable::run) {
            @Override
            protected void complete(Result result) {}
        };
        write.submitted(System.nanoTime());
        return write;
    }

    @Test
    void is_put_by_when_there_is_room_and_grows_and_shrinks_with_what_packing_needs() throws IOException {
        reserve.refill(1 << 20);
        assertThat(held()).isEqualTo(DiskReserve.BYTES + (1 << 20));
        reserve.refill(0);
        assertThat(held()).isEqualTo(DiskReserve.BYTES);
        assertThat(reserve.isTouched()).isFalse();
        assertThat(reserve.refuses(write(CommandType.PUT))).isFalse();
    }

    @Test
    void another_failure_than_a_full_disk_is_not_its_business() throws IOException {
        reserve.refill(0);
        assertThat(reserve.makeRoom(new IOException("Input/output error"))).isFalse();
        assertThat(reserve.lend(new IOException("Input/output error"))).isFalse();
        assertThat(reserve.isTouched()).isFalse();
        usable = 0;
        assertThat(reserve.makeRoom(new IOException("some words for it in another language")))
                .isTrue();
    }

    @Test
    void a_write_that_does_not_fit_gets_a_piece_and_what_waits_to_add_data_is_refused() throws IOException {
        reserve.refill(0);
        PendingWrite put = write(CommandType.PUT);
        PendingWrite txn = write(CommandType.TXN);
        PendingWrite delete = write(CommandType.DELETE_RANGE);
        assertThat(reserve.makeRoom(full)).isTrue();
        assertThat(held()).isEqualTo(DiskReserve.BYTES - DiskReserve.STEP_BYTES);
        assertThat(reserve.isTouched()).isTrue();
        assertThat(reserve.refuses(put)).isTrue();
        assertThat(reserve.refuses(txn)).isTrue();
        assertThat(reserve.refuses(delete)).isFalse();
        assertThat(reserve.refuses(write(CommandType.TXN)))
                .as("one that only deletes, else it had been refused before")
                .isFalse();
    }

    @Test
    void when_it_is_low_only_what_helps_is_taken() throws IOException {
        reserve.refill(0);
        assertThat(reserve.makeRoom(full)).isTrue();
        assertThat(reserve.lend(full)).isTrue();
        assertThat(held()).isEqualTo(DiskReserve.LOW_BYTES);
        assertThat(reserve.refuses(write(CommandType.DELETE_RANGE))).isFalse();
        assertThat(reserve.makeRoom(full)).isTrue();
        assertThat(reserve.refuses(write(CommandType.DELETE_RANGE))).isTrue();
        assertThat(reserve.refuses(write(CommandType.TXN))).isTrue();
        assertThat(reserve.refuses(write(CommandType.COMPACTION))).isFalse();
        assertThat(reserve.refuses(write(CommandType.ALARM))).isFalse();
        assertThat(reserve.refuses(write(CommandType.MEMBER_SET))).isFalse();
        assertThat(reserve.lend(full)).as("the last is not lent").isFalse();
    }

    @Test
    void with_nothing_left_a_write_waits_until_the_member_ends() throws Exception {
        assertThat(reserve.makeRoom(full)).as("waited, and tries again").isTrue();
        Thread writer = Thread.ofPlatform().start(() -> {
            while (reserve.makeRoom(full)) {
                Thread.onSpinWait();
            }
        });
        reserve.close();
        writer.join();
        assertThat(reserve.makeRoom(full)).isFalse();
    }

    @Test
    void is_filled_anew_as_far_as_there_is_room_and_data_is_taken_when_there_is_enough() throws IOException {
        reserve.refill(0);
        assertThat(reserve.makeRoom(full)).isTrue();
        assertThat(reserve.lend(full)).isTrue();
        usable = DiskReserve.LEFT_BYTES + 1000;
        reserve.refill(0);
        assertThat(held()).isEqualTo(DiskReserve.LOW_BYTES + 1000);
        assertThat(reserve.isTouched()).isTrue();
        assertThat(open().isTouched()).as("also after a restart").isTrue();
        usable = DiskReserve.BYTES - held() + DiskReserve.MARGIN_BYTES;
        reserve.refill(0);
        assertThat(held()).isEqualTo(DiskReserve.BYTES);
        reserve.refill(0);
        assertThat(reserve.isTouched()).isFalse();
    }

    @Test
    void a_member_that_starts_on_a_disk_without_room_takes_no_data() throws IOException {
        usable = DiskReserve.BYTES;
        assertThat(open().isTouched()).isTrue();
    }
}
