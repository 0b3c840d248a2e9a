/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.layering;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may depend on whom: between the modules, on libraries, and between the packages of a module. */
class LayeringTest {
    private static final String ROOT = "dev.nightjar.";
    private static final List<String> MODULES = List.of("api", "wire", "consensus", "core", "server", "ctl");

    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(MODULES.stream().map(ROOT::concat).toList());

    @Test
    void every_module_is_on_the_class_path() {
        Set<String> modules = ALL.stream()
                .map(type -> type.getPackageName().substring(ROOT.length()).split("\\.", 2)[0])
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(modules).containsExactlyInAnyOrderElementsOf(MODULES);
    }

    @ParameterizedTest
    @CsvSource({
        "api, wire consensus core server ctl",
        "wire, api consensus core server ctl",
        "consensus, api wire core server ctl",
        "core, wire consensus server ctl",
        "server, ctl",
        "ctl, wire consensus core server"
    })
    void a_module_does_not_see(String module, String others) {
        String[] forbidden = Arrays.stream(others.split(" "))
                .map(other -> ROOT + other + "..")
                .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage(ROOT + module + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(forbidden)
                .check(ALL);
    }

    @ParameterizedTest
    @CsvSource({
        "api, com.google.protobuf.. com.google.common.. com.google.api.. io.grpc.. javax.annotation..",
        "wire, io.netty.. io.grpc.. org.slf4j.. com.google.errorprone.annotations..",
        "consensus, com.alipay.sofa.jraft.. com.google.protobuf.. org.slf4j.. com.google.errorprone.annotations..",
        "core, com.google.protobuf.. org.slf4j.. dev.nightjar.api.. com.google.errorprone.annotations.."
    })
    void a_module_uses_no_libraries_but(String module, String libraries) {
        String[] allowed =
                (libraries + " java.. javax.net.ssl.. org.jspecify.annotations.. " + ROOT + module + "..").split(" ");
        classes()
                .that()
                .resideInAPackage(ROOT + module + "..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed)
                .check(ALL);
    }

    @Test
    void nothing_knows_the_raft_engine_but_its_adaptor() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.nightjar.consensus.jraft..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.alipay..")
                .check(ALL);
    }

    /** As the packages' own descriptions say. */
    @ParameterizedTest
    @CsvSource({
        "core, core.storage, ''",
        "core, core.mvcc, core.storage",
        "core, core.watch, core.mvcc",
        "core, core.cluster, core.mvcc",
        "core, core.apply, core.mvcc core.watch core.cluster",
        "consensus, consensus.log, consensus",
        "server, server.config, ''",
        "server, server.observe, server.config",
        "server, server.http, server.config server.observe",
        "server, server.node, ''",
        "server, server.rpc, server.node server.config",
        "ctl, ctl.client, ''",
        "ctl, ctl.print, ctl.client",
        "ctl, ctl.command, ctl.client ctl.print",
        "ctl, ctl.train, ''"
    })
    void a_package_uses_no_others_of_its_module_but(String module, String name, String others) {
        String[] allowed = Arrays.stream((name + " " + others).strip().split(" "))
                .map(ROOT::concat)
                .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage(ROOT + name)
                .should()
                .dependOnClassesThat(resideInAPackage(ROOT + module + "..").and(resideOutsideOfPackages(allowed)))
                .check(ALL);
    }

    @Test
    void the_library_for_command_lines_is_used_in_ctl_only() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.nightjar.ctl..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("picocli..")
                .check(ALL);
    }

    @Test
    void no_main_code_sees_test_libraries() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.junit..", "org.assertj..", "com.tngtech.archunit..")
                .check(ALL);
    }

    @Test
    void core_has_no_clock_no_chance_no_environment_and_no_thread_of_its_own() {
        purity("dev.nightjar.core..").check(ALL);
    }

    @Test
    void a_class_that_reads_the_clock_or_starts_a_thread_would_be_seen() {
        JavaClasses guilty = new ClassFileImporter().importClasses(ReadsTheClock.class, StartsAThread.class);
        var result = purity("dev.nightjar.verify.layering..").evaluate(guilty);
        assertThat(result.getFailureReport().getDetails())
                .anyMatch(detail -> detail.contains("nanoTime"))
                .anyMatch(detail -> detail.contains("StartsAThread"));
    }

    @Test
    void only_apply_changes_keys() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.nightjar.core.apply..", "dev.nightjar.core.mvcc..")
                .should()
                .callMethodWhere(StoreWrites.call(StoreWrites.KEYS))
                .check(ALL);
    }

    @Test
    void only_apply_and_the_registries_of_core_change_rows() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.nightjar.core.apply..",
                        "dev.nightjar.core.mvcc..",
                        "dev.nightjar.core.lease..",
                        "dev.nightjar.core.auth..",
                        "dev.nightjar.core.cluster..")
                .should()
                .callMethodWhere(StoreWrites.call(StoreWrites.ROWS))
                .check(ALL);
    }

    @Test
    void the_methods_that_change_the_store_have_not_been_renamed() {
        assertThat(StoreWrites.missing(ALL))
                .as("methods that the rules name and that do not exist")
                .isEmpty();
    }

    private static ArchRule purity(String packages) {
        return noClasses()
                .that()
                .resideInAPackage(packages)
                .should()
                .callMethodWhere(Impurities.call())
                .orShould()
                .callConstructorWhere(Impurities.construction());
    }

    private static final class ReadsTheClock {
        @SuppressWarnings("unused")
        long now() {
            return System.nanoTime();
        }
    }

    private static final class StartsAThread {
        @SuppressWarnings("unused")
        Thread start() {
            return new Thread(() -> {});
        }
    }
}
