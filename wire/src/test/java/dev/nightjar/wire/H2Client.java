/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An HTTP/2 client that writes frames one by one, right or wrong, and reads what comes. Used by one thread. */
final class H2Client implements AutoCloseable {

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;

    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int END_HEADERS = 4;

    static final int MAX_FRAME = 16 * 1024;
    private static final int READ_TIMEOUT_MILLIS = 60_000;

    /** A frame as it came. */
    record Frame(int type, int flags, int stream, byte[] payload, Map<String, String> headers) {
        boolean has(int flag) {
            return (flags & flag) != 0;
        }

        int intAt(int index) {
            return ByteBuffer.wrap(payload).getInt(index);
        }
    }

    /** Writes frames to a stream of bytes. */
    static final class Frames {
        private final OutputStream out;
        private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();

        Frames(OutputStream out) {
            this.out = out;
        }

        /** Sends the preface and settings as pairs of id and value. */
        void greet(int... settings) throws IOException {
            out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            ByteBuffer payload = ByteBuffer.allocate(settings.length / 2 * 6);
            for (int i = 0; i < settings.length; i += 2) {
                payload.putShort((short) settings[i]).putInt(settings[i + 1]);
            }
            frame(SETTINGS, 0, 0, payload.array());
        }

        void frame(int type, int flags, int stream, byte[] payload) throws IOException {
            ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
            frame.put((byte) (payload.length >> 16)).putShort((short) payload.length);
            frame.put((byte) type).put((byte) flags).putInt(stream).put(payload);
            out.write(frame.array());
        }

        void headers(int stream, Http2Headers headers, boolean end) throws IOException {
            ByteBuf block = Unpooled.buffer();
            try {
                encoder.encodeHeaders(stream, headers, block);
            } catch (Http2Exception e) {
                throw new IOException(e);
            }
            frame(HEADERS, END_HEADERS | (end ? END_STREAM : 0), stream, Bytes.of(block));
        }
    }

    /** How a call ended: the blocks of headers merged, the bytes of its messages with their prefixes. */
    record Answer(Map<String, String> headers, byte[] body) {
        String status() {
            return headers.getOrDefault("grpc-status", "none");
        }

        String message() {
            return headers.getOrDefault("grpc-message", "");
        }
    }

    final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final Frames frames;
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder();

    H2Client(InetSocketAddress address) throws IOException {
        socket = new Socket(address.getAddress(), address.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(READ_TIMEOUT_MILLIS);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
        frames = new Frames(out);
    }

    H2Client greet(int... settings) throws IOException {
        frames.greet(settings);
        return this;
    }

    H2Client bytes(byte[] bytes) throws IOException {
        out.write(bytes);
        return this;
    }

    H2Client frame(int type, int flags, int stream, byte[] payload) throws IOException {
        frames.frame(type, flags, stream, payload);
        return this;
    }

    static Http2Headers grpc(String path) {
        return new DefaultHttp2Headers()
                .method("POST")
                .scheme("http")
                .authority("test")
                .path(path)
                .set("content-type", "application/grpc")
                .set("te", "trailers");
    }

    H2Client headers(int stream, Http2Headers headers, boolean end) throws IOException {
        frames.headers(stream, headers, end);
        return this;
    }

    H2Client data(int stream, byte[] payload, boolean end) throws IOException {
        return frame(DATA, end ? END_STREAM : 0, stream, payload);
    }

    /** Sends a call with one message. */
    H2Client call(int stream, String path, byte[] message) throws IOException {
        return headers(stream, grpc(path), false).data(stream, Bytes.framed(message), true);
    }

    /** Reads what comes until the server has answered a ping, and so has done all that was asked before. */
    List<Frame> settle() throws IOException {
        ping(0x5e771e);
        List<Frame> frames = new ArrayList<>();
        for (Frame frame = next(); frame.type() != PING || !frame.has(ACK); frame = next()) {
            frames.add(frame);
        }
        return frames;
    }

    H2Client window(int stream, int bytes) throws IOException {
        return frame(
                WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(bytes).array());
    }

    H2Client reset(int stream) throws IOException {
        return frame(RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(8).array());
    }

    H2Client ping(long data) throws IOException {
        return frame(PING, 0, 0, ByteBuffer.allocate(8).putLong(data).array());
    }

    /** The next frame, or null at the connection's end. */
    @Nullable
    Frame read() throws IOException {
        int first = in.read();
        if (first < 0) {
            return null;
        }
        int length = first << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int stream = in.readInt() & Integer.MAX_VALUE;
        byte[] payload = new byte[length];
        in.readFully(payload);
        if (type == SETTINGS && (flags & ACK) == 0) {
            frame(SETTINGS, ACK, 0, new byte[0]);
        }
        Map<String, String> headers = type == HEADERS ? decode(stream, payload) : Map.of();
        return new Frame(type, flags, stream, payload, headers);
    }

    /** The next frame; the connection must not have ended. */
    Frame next() throws IOException {
        Frame frame = read();
        if (frame == null) {
            throw new EOFException("the connection ended");
        }
        return frame;
    }

    /** Reads on to a frame of a type. */
    Frame await(int type) throws IOException {
        Frame frame = next();
        while (frame.type() != type) {
            frame = next();
        }
        return frame;
    }

    /** Reads on to the end of a call. */
    Answer answer(int stream) throws IOException {
        Map<String, String> headers = new HashMap<>();
        var body = new ByteArrayOutputStream();
        while (true) {
            Frame frame = next();
            if (frame.stream() == stream) {
                headers.putAll(frame.headers());
            }
            if (frame.stream() == stream && frame.type() == DATA) {
                body.write(frame.payload());
            }
            if (frame.stream() == stream && frame.type() == RST_STREAM) {
                throw new IOException("stream " + stream + " was reset with error " + frame.intAt(0));
            }
            if (frame.stream() == stream && frame.has(END_STREAM) && frame.type() <= HEADERS) {
                return new Answer(headers, body.toByteArray());
            }
        }
    }

    private Map<String, String> decode(int stream, byte[] payload) throws IOException {
        Map<String, String> headers = new HashMap<>();
        try {
            Http2Headers block = decoder.decodeHeaders(stream, Unpooled.wrappedBuffer(payload));
            block.forEach(header ->
                    headers.put(header.getKey().toString(), header.getValue().toString()));
        } catch (Http2Exception e) {
            throw new IOException(e);
        }
        return headers;
    }

    /** Reads to the connection's end; being cut off is an end, too. */
    void awaitEnd() throws IOException {
        try {
            Frame frame = read();
            while (frame != null) {
                frame = read();
            }
        } catch (SocketException | EOFException e) {
            assertThat(e).isNotNull();
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
