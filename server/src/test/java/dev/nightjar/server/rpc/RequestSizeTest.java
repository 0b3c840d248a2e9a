/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RequestSizeTest {
    /** The first line was measured on etcd: with a request of 1,572,847 bytes its entry has 1.5 MiB to the byte. */
    @ParameterizedTest
    @CsvSource({
        "0d8812d7cd4d463e, 1572847, 17",
        "0d8812d7cd4d8000, 1572847, 18",
        "0d8812d7cd4d00ff, 1572847, 16",
        "0d8812d7cd4d0000, 1572847, 15",
        "0d8812d7cd4d463e, 127, 15",
        "0d8812d7cd4d463e, 128, 16",
    })
    void the_envelope_depends_on_the_members_last_digits_and_the_requests_size(
            String memberId, int requestBytes, int envelopeBytes) {
        assertThat(RequestSize.envelopeBytes(Long.parseUnsignedLong(memberId, 16), requestBytes))
                .isEqualTo(envelopeBytes);
    }
}
