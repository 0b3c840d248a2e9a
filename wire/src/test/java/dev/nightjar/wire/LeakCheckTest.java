/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The check of all other tests can fail. */
class LeakCheckTest {

    private static final int ATTEMPTS = 100;

    @Test
    void a_lost_buffer_is_found() {
        var check = new LeakCheck();
        check.watch();
        List<String> leaks = List.of();
        for (int i = 0; i < ATTEMPTS && leaks.isEmpty(); i++) {
            ByteBufAllocator.DEFAULT.directBuffer(1000);
            leaks = check.leaks();
        }
        check.unwatch();
        assertThat(leaks).isNotEmpty();
    }
}
