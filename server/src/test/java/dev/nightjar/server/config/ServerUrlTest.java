/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerUrlTest {

    @Test
    void a_url_falls_into_its_parts_and_back() throws ConfigException {
        assertThat(ServerUrl.parse(" https://[::1]:2379 "))
                .isEqualTo(new ServerUrl(ServerUrl.Scheme.HTTPS, "::1", 2379, ""))
                .hasToString("https://[::1]:2379");
        assertThat(ServerUrl.parse("http://my_host:0")).hasToString("http://my_host:0");
        assertThat(ServerUrl.parse("http://:2379").host()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "unix://localhost:20000, localhost:20000",
        "unixs://name, name",
        "unix:///run/nightjar.sock, /run/nightjar.sock",
        "unix://dir/sock, dir/sock",
    })
    void a_socket_file_is_named_by_host_port_and_path(String url, String path) throws ConfigException {
        assertThat(ServerUrl.parse(url).socketPath()).isEqualTo(path);
        assertThat(ServerUrl.parse(url)).hasToString(url);
    }

    @Test
    void a_list_is_sorted_and_holds_each_once() throws ConfigException {
        assertThat(ServerUrl.join(ServerUrl.parseList("http://b:1,http://a:2, http://b:1,http://a:1")))
                .isEqualTo("http://a:1,http://a:2,http://b:1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '\'',
            value = {
                "localhost:2379; URL scheme must be http, https, unix, or unixs: localhost:2379",
                "'';             'URL scheme must be http, https, unix, or unixs: '",
                "ftp://a:1;      URL scheme must be http, https, unix, or unixs: ftp://a:1",
                "http://a;       URL address does not have the form \"host:port\": http://a",
                "http://::1:2;   URL address does not have the form \"host:port\": http://::1:2",
                "http://a:1/;    URL must not contain a path: http://a:1/",
                "http://a:b;     parse \"http://a:b\": invalid port \":b\" after host",
                "http://a:65536; parse \"http://a:65536\": invalid port \":65536\" after host",
                "http://[::1:2;  parse \"http://[::1:2\": missing ']' in host",
            })
    void a_bad_url_is_refused_in_etcds_words(String url, String message) {
        assertThatThrownBy(() -> ServerUrl.parse(url)).hasMessage(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://u@a:1", "http://a:1?x", "http://a:1#x", "http://a b:1"})
    void what_has_no_meaning_here_is_refused(String url) {
        assertThatThrownBy(() -> ServerUrl.parse(url)).isInstanceOf(ConfigException.class);
    }

    @Test
    void an_empty_list_is_refused() {
        assertThatThrownBy(() -> ServerUrl.parseAll(java.util.List.of())).hasMessage("no valid URLs given");
    }
}
