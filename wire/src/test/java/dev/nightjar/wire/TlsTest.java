/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.stub.ClientCalls;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The port behind TLS: the protocol is agreed on in the handshake, and the certificate may change at any time. */
@ExtendWith(LeakCheck.class)
class TlsTest {

    private volatile X509Bundle certificate = selfSigned("localhost");

    private static X509Bundle selfSigned(String name) {
        try {
            return new CertificateBuilder()
                    .subject("CN=" + name)
                    .addSanDnsName("localhost")
                    .addSanIpAddress("127.0.0.1")
                    .setIsCertificateAuthority(true)
                    .ecp256()
                    .buildSelfSigned();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private SslContext serverContext() {
        try {
            return SslContextBuilder.forServer(certificate.getKeyPair().getPrivate(), certificate.getCertificatePath())
                    .applicationProtocolConfig(WireTls.alpn())
                    .ciphers(WireTls.ciphers(), io.netty.handler.ssl.SupportedCipherSuiteFilter.INSTANCE)
                    .build();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static SSLContext jdkTrusting(X509Certificate certificate) throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry("server", certificate);
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private static void assertGrpcWorks(TestPort port, X509Bundle trusted) throws Exception {
        SslContext client = GrpcSslContexts.forClient()
                .trustManager(trusted.getCertificate())
                .build();
        var channel = port.channel(builder -> builder.useTransportSecurity().sslContext(client));
        byte[] answer = ClientCalls.blockingUnaryCall(
                channel, Bytes.UNARY, CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS), new byte[300_000]);
        assertThat(answer).hasSize(300_000);
    }

    @Test
    void grpc_and_both_kinds_of_http_share_a_tls_port() throws Exception {
        try (var port =
                TestPort.open(builder -> builder.tls(this::serverContext).http(exchange -> {
                    SSLSession session = Objects.requireNonNull(exchange.tlsSession());
                    exchange.respond(200, "text/plain", Bytes.of(session.getProtocol()), Map.of());
                }))) {
            assertGrpcWorks(port, certificate);
            for (HttpClient.Version version : HttpClient.Version.values()) {
                if (version == HttpClient.Version.HTTP_1_1 || version == HttpClient.Version.HTTP_2) {
                    try (var client = HttpClient.newBuilder()
                            .version(version)
                            .sslContext(jdkTrusting(certificate.getCertificate()))
                            .build()) {
                        var request = HttpRequest.newBuilder(URI.create(
                                        "https://localhost:" + port.address().getPort() + "/"))
                                .build();
                        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
                        assertThat(answer.version()).isEqualTo(version);
                        assertThat(answer.body()).isEqualTo("TLSv1.3");
                    }
                }
            }
        }
    }

    @Test
    void a_new_certificate_serves_the_next_connection() throws Exception {
        try (var port = TestPort.open(builder -> builder.tls(this::serverContext))) {
            assertGrpcWorks(port, certificate);
            X509Bundle old = certificate;
            certificate = selfSigned("renewed");
            assertGrpcWorks(port, certificate);
            assertThatThrownBy(() -> assertGrpcWorks(port, old)).isInstanceOf(io.grpc.StatusRuntimeException.class);
        }
    }

    @Test
    void a_client_certificate_names_the_client_to_handlers() throws Exception {
        X509Bundle clientCertificate = selfSigned("alice");
        var names = new LinkedBlockingQueue<String>();
        try (var port = TestPort.open(builder -> builder.tls(() -> mutual(clientCertificate))
                .raw("test.Echo/Who", (call, headers) -> {
                    names.add(name(call.tlsSession()));
                    return builderEcho(call);
                }))) {
            SslContext client = GrpcSslContexts.forClient()
                    .trustManager(certificate.getCertificate())
                    .keyManager(clientCertificate.getKeyPair().getPrivate(), clientCertificate.getCertificatePath())
                    .build();
            var channel = port.channel(b -> b.useTransportSecurity().sslContext(client));
            ClientCalls.blockingUnaryCall(
                    channel,
                    Bytes.method("Who", io.grpc.MethodDescriptor.MethodType.UNARY),
                    CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS),
                    new byte[1]);
            assertThat(names.poll(60, TimeUnit.SECONDS)).isEqualTo("CN=alice");
        }
    }

    private static RawCall.Listener builderEcho(RawCall call) {
        return new EchoHandlers().unary(call, new io.netty.handler.codec.http2.DefaultHttp2Headers());
    }

    private static String name(@org.jspecify.annotations.Nullable SSLSession session) {
        try {
            return ((X509Certificate) Objects.requireNonNull(session).getPeerCertificates()[0])
                    .getSubjectX500Principal()
                    .getName();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private SslContext mutual(X509Bundle client) {
        try {
            return SslContextBuilder.forServer(certificate.getKeyPair().getPrivate(), certificate.getCertificatePath())
                    .applicationProtocolConfig(WireTls.alpn())
                    .clientAuth(ClientAuth.REQUIRE)
                    .trustManager(client.getCertificate())
                    .build();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_plaintext_client_is_turned_away_and_others_are_served() throws Exception {
        try (var port = TestPort.open(builder -> builder.tls(this::serverContext));
                var socket =
                        new Socket(port.address().getAddress(), port.address().getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(Bytes.of("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
            int last = socket.getInputStream().read();
            while (last >= 0) {
                last = socket.getInputStream().read();
            }
            assertGrpcWorks(port, certificate);
        }
    }
}
