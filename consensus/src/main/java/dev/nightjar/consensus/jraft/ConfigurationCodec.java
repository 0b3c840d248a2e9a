/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.PeerId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The members in a configuration entry as they lie in the log: four lines of text (voters, old voters, learners, old
 * learners), members separated by commas.
 */
final class ConfigurationCodec {
    private static final int LINES = 4;

    private ConfigurationCodec() {}

    static ByteBuffer encode(LogEntry entry) {
        String text = line(entry.getPeers())
                + '\n'
                + line(entry.getOldPeers())
                + '\n'
                + line(entry.getLearners())
                + '\n'
                + line(entry.getOldLearners());
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    static void decode(ByteBuffer payload, LogEntry entry) {
        String text = StandardCharsets.UTF_8.decode(payload.duplicate()).toString();
        String[] lines = text.split("\n", -1);
        if (lines.length != LINES) {
            throw new IllegalArgumentException("not a configuration: " + text);
        }
        entry.setPeers(peers(lines[0]));
        entry.setOldPeers(peers(lines[1]));
        entry.setLearners(peers(lines[2]));
        entry.setOldLearners(peers(lines[3]));
    }

    private static String line(@Nullable List<PeerId> peers) {
        return peers == null
                ? ""
                : String.join(",", peers.stream().map(PeerId::toString).toList());
    }

    private static @Nullable List<PeerId> peers(String line) {
        if (line.isEmpty()) {
            return null;
        }
        List<PeerId> peers = new ArrayList<>();
        for (String text : line.split(",", -1)) {
            PeerId peer = new PeerId();
            if (!peer.parse(text)) {
                throw new IllegalArgumentException("not a member: " + text);
            }
            peers.add(peer);
        }
        return peers;
    }
}
