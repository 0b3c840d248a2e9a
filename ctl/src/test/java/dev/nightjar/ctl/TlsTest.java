/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The client on connections with TLS; the certificate of the server signs itself and serves as that of the client too. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TlsTest {

    private static final String PASSWORD = "changeit";
    private static final long LIMIT_SECONDS = 60;

    private final Path certificate;
    private final Path key;
    private final ScriptedServer server;
    private final CtlHarness ctl = new CtlHarness();

    TlsTest(@TempDir Path folder) throws Exception {
        certificate = folder.resolve("certificate.pem");
        key = folder.resolve("key.pem");
        makeCertificate(folder.resolve("store.p12"));
        SslContext tls = GrpcSslContexts.forServer(certificate.toFile(), key.toFile())
                .trustManager(certificate.toFile())
                .clientAuth(ClientAuth.OPTIONAL)
                .build();
        server = new ScriptedServer(builder -> builder.sslContext(tls));
    }

    @AfterAll
    void close() {
        server.close();
    }

    @BeforeEach
    void script() {
        server.script(List.of(List.of("< kvs { key: \"a\" value: \"one\" } count: 1")));
    }

    @Test
    void aTrustedServerIsTalkedTo() {
        assertThat(get("https://" + authority(), "--cacert", certificate.toString()))
                .isZero();
        assertThat(ctl.out.text()).endsWith("a\none\n");
    }

    @Test
    void trustAloneAsksForTlsWhereNoSchemeSaysOtherwise() {
        assertThat(get(authority(), "--cacert", certificate.toString())).isZero();
    }

    @Test
    void theClientShowsItsCertificate() {
        assertThat(get(
                        "https://" + authority(),
                        "--cacert",
                        certificate.toString(),
                        "--cert",
                        certificate.toString(),
                        "--key",
                        key.toString()))
                .isZero();
        assertThat(server.peerCertificates()).containsExactly("CN=nightjar");
    }

    @Test
    void aServerThatNobodyVouchesForIsRefused() {
        assertThat(get("https://" + authority(), "--command-timeout", "500ms")).isEqualTo(1);
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void anyServerIsTakenWhenToldSo() {
        assertThat(get(authority(), "--insecure-skip-tls-verify")).isZero();
    }

    @Test
    void plainEndpointsStayPlain() {
        assertThat(get("http://" + authority(), "--cacert", certificate.toString(), "--command-timeout", "500ms"))
                .isEqualTo(1);
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void endpointsWithAndWithoutTlsDoNotMix() {
        assertThat(get("http://127.0.0.1:1,https://127.0.0.1:1")).isEqualTo(2);
        assertThat(ctl.err.text()).contains("cannot be used together");
    }

    @Test
    void aCertificateNeedsItsKey() {
        assertThat(get("https://" + authority(), "--cert", certificate.toString()))
                .isEqualTo(128);
    }

    @Test
    void aFileThatIsNoCertificateIsRefused() {
        assertThat(get("https://" + authority(), "--cacert", key.toString())).isEqualTo(2);
        assertThat(ctl.err.text()).contains("cannot set up TLS");
    }

    private int get(String endpoints, String... options) {
        String[] words = new String[options.length + 4];
        System.arraycopy(options, 0, words, 0, options.length);
        words[options.length] = "--endpoints";
        words[options.length + 1] = endpoints;
        words[options.length + 2] = "get";
        words[options.length + 3] = "a";
        return ctl.run(InputStream.nullInputStream(), words);
    }

    private String authority() {
        return "127.0.0.1:" + server.port();
    }

    private void makeCertificate(Path store) throws IOException, InterruptedException, GeneralSecurityException {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "nightjar",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=nightjar",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        assertThat(keytool.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        pem(certificate, "CERTIFICATE", keys.getCertificate("nightjar").getEncoded());
        pem(key, "PRIVATE KEY", keys.getKey("nightjar", PASSWORD.toCharArray()).getEncoded());
    }

    private static void pem(Path file, String kind, byte[] content) throws IOException {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n");
    }
}
