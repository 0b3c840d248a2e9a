/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class SlabMakerTest {
    private static final int BYTES = 8192;

    private final SlabMaker maker = new SlabMaker(BYTES, 4096);
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Test
    void slabs_are_distinct_and_zero_whoever_made_them() {
        maker.makeAhead(tasks::add);
        List<MemorySegment> slabs = new ArrayList<>();
        for (int i = 0; i < 3 * SlabMaker.MOST_AHEAD; i++) {
            if (i % 3 == 0) {
                runTasks();
            }
            MemorySegment slab = maker.next();
            assertThat(slab.byteSize()).isEqualTo(BYTES);
            assertThat(slab.address() % 4096).isZero();
            assertThat(slab.mismatch(MemorySegment.ofArray(new byte[BYTES]))).isEqualTo(-1);
            slab.fill((byte) i);
            slabs.add(slab);
        }
        for (int i = 0; i < slabs.size(); i++) {
            assertThat(slabs.get(i).get(java.lang.foreign.ValueLayout.JAVA_BYTE, BYTES - 1))
                    .isEqualTo((byte) i);
        }
        maker.close();
    }

    @Test
    void only_a_few_are_made_ahead_and_none_once_it_is_over() {
        maker.makeAhead(tasks::add);
        runTasks();
        assertThat(maker.countAhead()).isEqualTo(SlabMaker.MOST_AHEAD);
        maker.makeAhead(tasks::add);
        runTasks();
        assertThat(maker.countAhead()).isEqualTo(SlabMaker.MOST_AHEAD);

        maker.next();
        maker.stopAhead();
        runTasks();
        assertThat(maker.countAhead()).isEqualTo(SlabMaker.MOST_AHEAD - 1);
        maker.close();
    }

    @Test
    void a_helper_that_comes_late_does_no_harm() {
        maker.makeAhead(tasks::add);
        maker.close();
        runTasks();
        assertThat(maker.countAhead()).isZero();
    }
}
