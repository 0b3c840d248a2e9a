/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.main;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.server.config.Version;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scripts at the root of the project. */
class ScriptsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @TempDir
    Path directory;

    private final Map<String, String> environment = new HashMap<>();

    /** A path without java, whatever the machine has. */
    @BeforeEach
    void hideJava() throws IOException {
        Path tools = Files.createDirectory(directory.resolve("tools"));
        Path readlink =
                Files.exists(Path.of("/usr/bin/readlink")) ? Path.of("/usr/bin/readlink") : Path.of("/bin/readlink");
        Files.createSymbolicLink(tools.resolve("readlink"), readlink);
        environment.put("PATH", tools.toString());
    }

    @Test
    void java_home_is_taken_if_it_is_a_jdk_25() throws Exception {
        environment.put("JAVA_HOME", jdk("home", "25.0.3").toString());
        jdk("jvms/other", "25.0.9");

        assertThat(found()).isEqualTo(directory.resolve("home").toString());
    }

    @Test
    void another_version_in_java_home_is_passed_over() throws Exception {
        environment.put("JAVA_HOME", jdk("home", "17.0.1").toString());
        jdk("jvms/java-21", "21.0.1");
        jdk("jvms/java-25", "25");

        assertThat(found()).isEqualTo(directory.resolve("jvms/java-25").toString());
    }

    @Test
    void the_java_in_the_path_is_followed_through_links() throws Exception {
        Path home = jdk("real", "25.0.3");
        Path bin = Files.createDirectories(directory.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("java"), home.resolve("bin/java"));
        environment.put("PATH", bin + ":" + environment.get("PATH"));

        assertThat(found()).isEqualTo(home.toString());
    }

    @Test
    void the_newest_of_several_is_taken() throws Exception {
        jdk("jvms/jdk-25.0.1", "25.0.1");
        jdk("jvms/jdk-25.0.3", "25.0.3");
        jdk("jvms/jdk-26", "26");
        jdk("jvms/jdk-250", "250.1");

        assertThat(found()).isEqualTo(directory.resolve("jvms/jdk-25.0.3").toString());
    }

    @Test
    void a_runtime_without_compiler_is_not_enough() throws Exception {
        Files.delete(jdk("jvms/jre-25", "25.0.3").resolve("bin/javac"));

        assertThat(found()).isEqualTo("none");
    }

    @Test
    void a_name_with_blanks_is_one_name() throws Exception {
        jdk("jvms/my jdk 25", "25.0.3");

        assertThat(found()).isEqualTo(directory.resolve("jvms/my jdk 25").toString());
    }

    @Test
    void the_layout_of_a_mac_is_known() throws Exception {
        jdk("jvms/temurin-25.jdk/Contents/Home", "25.0.3");

        assertThat(found())
                .isEqualTo(
                        directory.resolve("jvms/temurin-25.jdk/Contents/Home").toString());
    }

    @Test
    void the_finder_run_by_itself_prints_what_it_finds() throws Exception {
        String home = jdk("home", "25.0.3").toString();
        environment.put("JAVA_HOME", home);

        assertThat(run(List.of("bash", "config/find-jdk"))).isEqualTo(home + "\n");
    }

    @Test
    void the_version_is_told_without_a_jvm_and_as_the_program_tells_it() throws Exception {
        environment.put("PATH", "/usr/bin:/bin");

        assertThat(run(List.of(ROOT.resolve("nightjar").toString(), "--version")))
                .isEqualTo(Main.version());
    }

    @Test
    void the_script_finds_its_home_through_a_link_with_another_name() throws Exception {
        environment.put("PATH", "/usr/bin:/bin");
        Path link = Files.createSymbolicLink(directory.resolve("etcd"), ROOT.resolve("nightjar"));

        assertThat(run(List.of(link.toString(), "-version"))).startsWith("etcd Version: 3.7.3\n");
    }

    @Test
    void the_version_in_the_code_is_the_one_of_the_build() throws IOException {
        assertThat(Files.readString(ROOT.resolve("pom.xml")))
                .contains("<artifactId>nightjar</artifactId>\n  <version>" + Version.NIGHTJAR + "</version>");
    }

    /** A directory that looks like a JDK. */
    private Path jdk(String name, String version) throws IOException {
        Path home = directory.resolve(name);
        Files.createDirectories(home.resolve("bin"));
        for (String program : List.of("java", "javac")) {
            Files.createFile(
                    home.resolve("bin").resolve(program),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        }
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"" + version + "\"\n");
        return home;
    }

    /** What the finder finds when only the test's own directories are searched. */
    private String found() throws Exception {
        String script =
                "set -euo pipefail; . config/find-jdk; if find_jdk \"$1\"; then echo \"$jdk\"; else echo none; fi";
        return run(List.of(
                        "bash", "-c", script, "find", directory.resolve("jvms").toString()))
                .strip();
    }

    private String run(List<String> command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(ROOT.toFile())
                .redirectErrorStream(true)
                .redirectInput(new File("/dev/null"));
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }
}
