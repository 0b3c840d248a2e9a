/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import dev.nightjar.api.etcdserverpb.AuthGrpc;
import dev.nightjar.api.etcdserverpb.ClusterGrpc;
import dev.nightjar.api.etcdserverpb.KVGrpc;
import dev.nightjar.api.etcdserverpb.MaintenanceGrpc;
import dev.nightjar.api.etcdserverpb.WatchGrpc;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Consumer;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A server that answers as a script says, whatever it is asked, and keeps what it was asked. Calls come on threads of gRPC and take the
 * lock of this object, for as long as it takes to queue the answers of one request.
 */
final class ScriptedServer implements AutoCloseable {

    private static final Metadata.Key<String> HAS_LEADER = key("hasleader");
    private static final Metadata.Key<String> TOKEN = key("token");

    private final Server server;
    private final List<String> requests = new ArrayList<>(); // guarded by this
    private final List<String> peerCertificates = new ArrayList<>(); // guarded by this
    private final Queue<List<String>> answers = new ArrayDeque<>(); // guarded by this

    ScriptedServer() throws IOException {
        this(builder -> {});
    }

    /** With something special about how it listens. */
    ScriptedServer(Consumer<NettyServerBuilder> special) throws IOException {
        NettyServerBuilder builder =
                NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        special.accept(builder);
        List.of(
                        KVGrpc.getServiceDescriptor(),
                        WatchGrpc.getServiceDescriptor(),
                        ClusterGrpc.getServiceDescriptor(),
                        MaintenanceGrpc.getServiceDescriptor(),
                        AuthGrpc.getServiceDescriptor())
                .forEach(service -> builder.addService(definition(service)));
        server = builder.build().start();
    }

    int port() {
        return server.getPort();
    }

    /** Forgets what was, and answers the next requests in this order. */
    synchronized void script(List<List<String>> next) {
        requests.clear();
        peerCertificates.clear();
        answers.clear();
        answers.addAll(next);
    }

    /** The names in the certificates that clients showed since the last script. */
    synchronized List<String> peerCertificates() {
        return List.copyOf(peerCertificates);
    }

    /** What was asked since the last script. */
    synchronized List<String> requests() {
        return List.copyOf(requests);
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    private ServerServiceDefinition definition(ServiceDescriptor service) {
        ServerServiceDefinition.Builder definition = ServerServiceDefinition.builder(service);
        for (io.grpc.MethodDescriptor<?, ?> method : service.getMethods()) {
            add(definition, method);
        }
        return definition.build();
    }

    @SuppressWarnings("unchecked") // All messages of the API are protobuf messages.
    private void add(ServerServiceDefinition.Builder definition, io.grpc.MethodDescriptor<?, ?> method) {
        io.grpc.MethodDescriptor<Message, Message> typed = (io.grpc.MethodDescriptor<Message, Message>) method;
        definition.addMethod(typed, new Handler(typed));
    }

    private synchronized void keepCertificate(@Nullable SSLSession session) {
        if (session == null) {
            return;
        }
        try {
            peerCertificates.add(session.getPeerPrincipal().getName());
        } catch (SSLPeerUnverifiedException e) {
            // The client showed none, which the list shows well enough.
            return;
        }
    }

    private synchronized List<String> answer(String request) {
        requests.add(request);
        List<String> next = answers.poll();
        return next == null ? List.of("<! UNIMPLEMENTED nothing scripted") : next;
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    private final class Handler implements ServerCallHandler<Message, Message> {

        private final String name;
        private final boolean streaming;
        private final Message answerPrototype;

        Handler(io.grpc.MethodDescriptor<Message, Message> method) {
            String full = method.getFullMethodName();
            this.name = full.substring(full.indexOf('.') + 1);
            this.streaming = !method.getType().serverSendsOneMessage();
            MethodDescriptor descriptor = ((ProtoMethodDescriptorSupplier)
                            Objects.requireNonNull(method.getSchemaDescriptor()))
                    .getMethodDescriptor();
            this.answerPrototype = prototype(method, descriptor);
        }

        private static Message prototype(
                io.grpc.MethodDescriptor<Message, Message> method, MethodDescriptor descriptor) {
            Message prototype = ((io.grpc.MethodDescriptor.PrototypeMarshaller<Message>) method.getResponseMarshaller())
                    .getMessagePrototype();
            return Objects.requireNonNull(prototype, descriptor.getFullName());
        }

        @Override
        public ServerCall.Listener<Message> startCall(ServerCall<Message, Message> call, Metadata headers) {
            keepCertificate(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
            call.request(1);
            return new ServerCall.Listener<>() {
                private boolean open;

                @Override
                public void onMessage(Message message) {
                    for (String line : answer(words(message, headers))) {
                        if (line.startsWith("<! ")) {
                            end(call, line.substring(3));
                            return;
                        }
                        if (!open) {
                            open = true;
                            call.sendHeaders(new Metadata());
                        }
                        call.sendMessage(parse(line.equals("<") ? "" : line.substring(2)));
                    }
                    if (streaming) {
                        call.request(1);
                    } else {
                        call.close(Status.OK, new Metadata());
                    }
                }
            };
        }

        private String words(Message message, Metadata headers) {
            StringBuilder words = new StringBuilder(name);
            if (headers.containsKey(HAS_LEADER)) {
                words.append(" [hasleader: ").append(headers.get(HAS_LEADER)).append(']');
            }
            if (headers.containsKey(TOKEN)) {
                words.append(" [token: ").append(headers.get(TOKEN)).append(']');
            }
            String text = TextFormat.printer().emittingSingleLine(true).printToString(message);
            return text.isEmpty()
                    ? words.toString()
                    : words.append(' ').append(text).toString();
        }

        private Message parse(String text) {
            try {
                Message.Builder answer = answerPrototype.newBuilderForType();
                TextFormat.merge(text, answer);
                return answer.build();
            } catch (TextFormat.ParseException e) {
                throw new IllegalStateException("an answer that is none: " + text, e);
            }
        }

        private static void end(ServerCall<Message, Message> call, String line) {
            int blank = line.indexOf(' ');
            Status.Code code = Status.Code.valueOf(blank < 0 ? line : line.substring(0, blank));
            call.close(
                    Status.fromCode(code).withDescription(blank < 0 ? "" : line.substring(blank + 1)), new Metadata());
        }
    }
}
