/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the engine drags in, and how far. */
class ClassPathTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.nightjar.consensus");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "org.rocksdb.RocksDB",
                "com.alipay.remoting.rpc.RpcServer",
                "com.alipay.hessian.ClassNameResolver",
                "com.caucho.hessian.io.Hessian2Input",
                "com.sun.jna.Native",
                "io.netty.channel.Channel",
                "com.google.common.collect.ImmutableList",
                "net.openhft.affinity.Affinity",
                "org.jctools.queues.MpscArrayQueue",
            })
    void libraries_that_the_engine_could_use_are_not_there(String name) {
        assertThatThrownBy(() -> Class.forName(name)).isInstanceOf(ClassNotFoundException.class);
    }

    @Test
    void only_this_package_knows_the_engine() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.nightjar.consensus.jraft")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.alipay..", "com.google.protobuf..", "com.lmax..")
                .check(OURS);
    }

    @Test
    void the_log_knows_neither_the_engine_nor_this_package() {
        classes()
                .that()
                .resideInAPackage("dev.nightjar.consensus.log")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "org.slf4j..",
                        "org.jspecify..",
                        "dev.nightjar.consensus",
                        "dev.nightjar.consensus.log")
                .check(OURS);
    }

    @Test
    void nothing_reads_the_clock_by_itself() {
        noClasses()
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "getProperty", String.class)
                .orShould()
                .callMethod(System.class, "getenv", String.class)
                .check(OURS);
    }
}
