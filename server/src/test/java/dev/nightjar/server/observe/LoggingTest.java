/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import dev.nightjar.server.config.LogLevel;
import dev.nightjar.server.config.ServerConfig;
import dev.nightjar.server.config.ServerConfig.LogFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

class LoggingTest {
    private static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}(Z|[+-]\\d{4})";

    @TempDir
    Path directory;

    private final LoggerContext context = new LoggerContext();

    @AfterEach
    void stop() {
        context.stop();
    }

    @Test
    void a_json_line_has_etcds_keys_in_etcds_order() throws IOException {
        Logger log = logger(LogLevel.INFO, LogFormat.JSON);

        log.atInfo()
                .addKeyValue("took", Duration.ofMillis(10))
                .addKeyValue("count", 3)
                .addKeyValue("yes", true)
                .addKeyValue("path", Path.of("a", "b"))
                .addKeyValue("urls", List.of("http://a:1", "http://b:2"))
                .log("serving");

        assertThat(lines())
                .singleElement()
                .asString()
                .matches("\\{\"level\":\"info\",\"ts\":\"" + TIME
                        + "\",\"caller\":\"node/Node\\.java:0\",\"msg\":\"serving\",\"took\":\"10ms\",\"count\":3,\"yes\":true,\"path\":\"a/b\","
                        + "\"urls\":\\[\"http://a:1\",\"http://b:2\"]}");
    }

    @Test
    void an_exception_is_an_error_and_from_level_error_on_a_stack_trace() throws IOException {
        Logger log = logger(LogLevel.INFO, LogFormat.JSON);

        log.atWarn().setCause(new IOException("disk \"a\"\nfull")).log("slow");
        log.error("broken {}", "pipe", new IllegalStateException());

        assertThat(lines().get(0)).endsWith("\"msg\":\"slow\",\"error\":\"disk \\\"a\\\"\\nfull\"}");
        assertThat(lines().get(1))
                .contains(
                        "\"level\":\"error\"", "\"msg\":\"broken pipe\",\"error\":\"java.lang.IllegalStateException\"")
                .contains("\"stacktrace\":\"java.lang.IllegalStateException")
                .contains("\\n\\tat dev.nightjar.server.observe.LoggingTest");
        assertThat(lines()).hasSize(2);
    }

    @Test
    void an_error_field_is_not_written_twice() throws IOException {
        logger(LogLevel.INFO, LogFormat.JSON)
                .atWarn()
                .addKeyValue("error", new IOException("first"))
                .setCause(new IOException("second"))
                .log("x");

        assertThat(lines().getFirst()).endsWith("\"msg\":\"x\",\"error\":\"first\"}");
    }

    @Test
    void any_text_stays_on_its_line() throws IOException {
        Logger log = logger(LogLevel.INFO, LogFormat.JSON);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("a", null);
        fields.put("b", Double.NaN);
        fields.put("c", "\u0000\t\u001f\u2028é😀");

        log.atInfo().addKeyValue("map", fields).log("new\r\nline \\ {}");

        assertThat(lines().getFirst())
                .endsWith("\"msg\":\"new\\r\\nline \\\\ {}\",\"map\":{\"a\":null,\"b\":\"NaN\","
                        + "\"c\":\"\\u0000\\t\\u001f\u2028é😀\"}}");
    }

    @Test
    void the_levels_above_error_have_etcds_names() throws IOException {
        Logger log = logger(LogLevel.FATAL, LogFormat.JSON);

        log.error("no");
        log.error(LogMarkers.PANIC, "no");
        log.error(LogMarkers.FATAL, "yes");

        assertThat(lines()).singleElement().asString().contains("\"level\":\"fatal\"", "\"msg\":\"yes\"");
    }

    @Test
    void lines_below_the_level_are_not_written() throws IOException {
        Logger log = logger(LogLevel.WARN, LogFormat.JSON);

        log.debug("a");
        log.info("b");
        log.warn("c");
        log.error("d");

        assertThat(lines()).hasSize(2);
    }

    @Test
    void libraries_are_heard_one_level_above_our_own() throws IOException {
        Logger log = logger(LogLevel.DEBUG, LogFormat.JSON);
        Logger library = context.getLogger("io.netty.channel");
        log.debug("ours");
        library.debug("theirs");
        library.info("theirs, graver");
        assertThat(lines()).hasSize(2);

        logger(LogLevel.INFO, LogFormat.JSON);
        library.info("theirs");
        library.warn("theirs, graver");
        assertThat(lines()).hasSize(3);

        logger(LogLevel.ERROR, LogFormat.JSON);
        library.warn("theirs");
        assertThat(lines()).hasSize(3);
    }

    @Test
    void a_console_line_has_tabs_between_its_parts() throws IOException {
        Logger log = logger(LogLevel.INFO, LogFormat.CONSOLE);

        log.atWarn().addKeyValue("size", 1).log("two\nlines");
        log.info("plain");

        assertThat(lines().get(0)).matches(TIME + "\twarn\tnode/Node\\.java:0\ttwo\\\\nlines\t\\{\"size\":1}");
        assertThat(lines().get(1)).matches(TIME + "\tinfo\tnode/Node\\.java:0\tplain");
    }

    @Test
    void a_flood_of_one_message_shows_the_first_hundred_and_then_every_hundredth() throws IOException {
        Logger log = logger(LogLevel.INFO, LogFormat.JSON);
        List<Long> seconds = new ArrayList<>();

        seconds.add(System.currentTimeMillis() / 1000);
        for (int i = 0; i < 1000; i++) {
            log.info("flood {}", i);
        }
        log.info("other");
        seconds.add(System.currentTimeMillis() / 1000);

        long counted = lines().stream().filter(line -> line.contains("flood")).count();
        if (seconds.get(0).equals(seconds.get(1))) {
            assertThat(counted).isEqualTo(109);
        } else {
            assertThat(counted).isBetween(109L, 300L);
        }
        assertThat(lines().getLast()).contains("other");
    }

    @Test
    void loggers_without_end_do_not_fill_the_memory() {
        LineEncoder encoder = new LineEncoder(LogFormat.JSON, new LogClock(TimeZone.getTimeZone("UTC")));
        String line = "";
        for (int i = 0; i < LineEncoder.MAX_CALLERS + 10; i++) {
            LoggingEvent event = new LoggingEvent();
            event.setLoggerName("a.b.Made" + i);
            event.setLevel(ch.qos.logback.classic.Level.INFO);
            event.setMessage("x");
            event.setInstant(Instant.EPOCH);
            line = new String(encoder.encode(event), StandardCharsets.UTF_8);
        }

        assertThat(encoder.callerCount()).isEqualTo(LineEncoder.MAX_CALLERS);
        assertThat(line)
                .isEqualTo("{\"level\":\"info\",\"ts\":\"1970-01-01T00:00:00.000000Z\",\"caller\":\"b/Made"
                        + (LineEncoder.MAX_CALLERS + 9) + ".java:0\",\"msg\":\"x\"}\n");
    }

    @Test
    void times_follow_the_zone_and_show_microseconds() {
        assertThat(time("UTC", "2026-01-31T10:20:30.000001999Z")).isEqualTo("2026-01-31T10:20:30.000001Z");
        assertThat(time("UTC", "2026-01-31T10:20:00Z")).isEqualTo("2026-01-31T10:20:00.000000Z");
        assertThat(time("Europe/Berlin", "2026-07-31T23:20:30.5Z")).isEqualTo("2026-08-01T01:20:30.500000+0200");
        assertThat(time("America/St_Johns", "2026-01-31T10:20:30Z")).isEqualTo("2026-01-31T06:50:30.000000-0330");
    }

    @Test
    void a_path_that_cannot_be_written_is_told() {
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> Logging.configure(
                        context,
                        new ServerConfig.Log(
                                LogLevel.INFO,
                                LogFormat.JSON,
                                List.of(directory.resolve("no/such").toString()))))
                .isInstanceOf(IOException.class);
    }

    private static String time(String zone, String instant) {
        StringBuilder out = new StringBuilder();
        new LogClock(TimeZone.getTimeZone(zone)).append(out, Instant.parse(instant));
        return out.toString();
    }

    private Logger logger(LogLevel level, LogFormat format) throws IOException {
        context.setMDCAdapter(new LogbackMDCAdapter());
        Logging.configure(
                context,
                new ServerConfig.Log(
                        level, format, List.of(directory.resolve("log").toString())));
        context.start();
        return context.getLogger("dev.nightjar.server.node.Node");
    }

    private List<String> lines() throws IOException {
        return Files.readAllLines(directory.resolve("log"));
    }
}
