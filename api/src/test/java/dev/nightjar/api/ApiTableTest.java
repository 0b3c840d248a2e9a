/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.AnnotationsProto;
import com.google.api.HttpRule;
import com.google.protobuf.DescriptorProtos.EnumValueOptions;
import com.google.protobuf.DescriptorProtos.FieldOptions;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import dev.nightjar.api.ApiTable.Row;
import dev.nightjar.api.versionpb.VersionProto;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the generated descriptors with the table of facts, row by row, and the other way round. */
class ApiTableTest {

    private static final int ROWS = 366;

    static Stream<Row> services() {
        return rows("service");
    }

    static Stream<Row> rpcs() {
        return rows("rpc");
    }

    static Stream<Row> fields() {
        return rows("message").filter(Row::isField);
    }

    static Stream<Row> emptyMessages() {
        return rows("message").filter(row -> !row.isField() && !row.isOption());
    }

    static Stream<Row> options() {
        return rows("message").filter(Row::isOption);
    }

    static Stream<Row> enumValues() {
        return rows("enum");
    }

    private static Stream<Row> rows(String kind) {
        return ApiTable.rows().stream().filter(row -> row.kind().equals(kind));
    }

    @Test
    void everyRowOfTheTableIsChecked() {
        long checked = Stream.of(services(), rpcs(), fields(), emptyMessages(), options(), enumValues())
                .flatMap(rows -> rows)
                .distinct()
                .count();

        assertThat(checked).isEqualTo(ROWS);
        assertThat(ApiTable.rows()).hasSize(ROWS);
    }

    @ParameterizedTest
    @MethodSource("services")
    void serviceHasItsPath(Row row) {
        ServiceDescriptor service = service(row);

        assertThat("gRPC path prefix /" + service.getFullName() + "/").isEqualTo(row.type());
    }

    @ParameterizedTest
    @MethodSource("rpcs")
    void rpcHasItsSignatureAndBindings(Row row) {
        MethodDescriptor method = Objects.requireNonNull(service(row).findMethodByName(row.name()), row.path());

        String signature = "(%s%s) returns (%s%s)"
                .formatted(
                        method.isClientStreaming() ? "stream " : "",
                        shortName(method.getInputType().getFullName(), row),
                        method.isServerStreaming() ? "stream " : "",
                        shortName(method.getOutputType().getFullName(), row));
        assertThat(signature).isEqualTo(row.type());
        assertThat(String.join("; ", bindings(method))).isEqualTo(row.http());
    }

    @ParameterizedTest
    @MethodSource("fields")
    void fieldHasItsNumberTypeAndPlace(Row row) {
        FieldDescriptor field = Objects.requireNonNull(message(row).findFieldByName(row.name()), row.path());

        assertThat(field.getNumber()).isEqualTo(Integer.parseInt(row.number()));
        assertThat(typeOf(field, row)).isEqualTo(row.type());
        FieldOptions options = field.getOptions();
        String since = options.hasExtension(VersionProto.etcdVersionField)
                ? options.getExtension(VersionProto.etcdVersionField)
                : field.getContainingType().getOptions().getExtension(VersionProto.etcdVersionMsg);
        assertThat(since).isEqualTo(row.since());
    }

    @ParameterizedTest
    @MethodSource("emptyMessages")
    void messageWithoutFieldsHasNone(Row row) {
        Descriptor message = message(row);

        assertThat(row.type()).isEqualTo("(no fields)");
        assertThat(message.getFields()).isEmpty();
        assertThat(message.getOptions().getExtension(VersionProto.etcdVersionMsg))
                .isEqualTo(row.since());
    }

    @ParameterizedTest
    @MethodSource("options")
    void optionHasItsNumberAndTarget(Row row) {
        FieldDescriptor option = VersionProto.getDescriptor().findExtensionByName(row.name());

        assertThat("extend " + option.getContainingType().getFullName()).isEqualTo(row.owner());
        assertThat(option.getNumber()).isEqualTo(Integer.parseInt(row.number()));
        assertThat("optional " + option.getType().name().toLowerCase(Locale.ROOT))
                .isEqualTo(row.type());
        assertThat(option.hasPresence()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("enumValues")
    void enumValueHasItsNumber(Row row) {
        EnumDescriptor type =
                Objects.requireNonNull(ApiDescriptors.ENUMS.get(row.packageName() + "." + row.owner()), row.path());
        EnumValueDescriptor value = Objects.requireNonNull(type.findValueByName(row.name()), row.path());

        assertThat(value.getNumber()).isEqualTo(Integer.parseInt(row.number()));
        EnumValueOptions options = value.getOptions();
        String since = options.hasExtension(VersionProto.etcdVersionEnumValue)
                ? options.getExtension(VersionProto.etcdVersionEnumValue)
                : type.getOptions().getExtension(VersionProto.etcdVersionEnum);
        assertThat(since).isEqualTo(row.since());
    }

    @Test
    void nothingIsDeclaredThatTheTableLacks() {
        Set<String> known = new HashSet<>();
        for (Row row : ApiTable.rows()) {
            known.add(row.isOption() ? row.packageName() + "." + row.name() : row.path());
            known.add(row.packageName() + "." + row.owner());
        }

        List<String> declared = new ArrayList<>();
        ApiDescriptors.SERVICES.values().forEach(service -> {
            declared.add(service.getFullName());
            service.getMethods().forEach(method -> declared.add(method.getFullName()));
        });
        ApiDescriptors.MESSAGES.values().forEach(message -> {
            declared.add(message.getFullName());
            message.getFields().forEach(field -> declared.add(field.getFullName()));
        });
        ApiDescriptors.ENUMS
                .values()
                .forEach(type ->
                        type.getValues().forEach(value -> declared.add(type.getFullName() + "." + value.getName())));
        for (FileDescriptor file : ApiDescriptors.FILES) {
            file.getExtensions().forEach(option -> declared.add(option.getFullName()));
        }

        assertThat(declared).hasSizeGreaterThan(ROWS);
        assertThat(known).containsAll(declared);
    }

    private static ServiceDescriptor service(Row row) {
        return Objects.requireNonNull(ApiDescriptors.SERVICES.get(row.packageName() + "." + row.owner()), row.path());
    }

    private static Descriptor message(Row row) {
        return Objects.requireNonNull(ApiDescriptors.MESSAGES.get(row.packageName() + "." + row.owner()), row.path());
    }

    private static List<String> bindings(MethodDescriptor method) {
        if (!method.getOptions().hasExtension(AnnotationsProto.http)) {
            return List.of();
        }
        HttpRule rule = method.getOptions().getExtension(AnnotationsProto.http);
        List<String> bindings = new ArrayList<>();
        bindings.add(binding(rule));
        rule.getAdditionalBindingsList().forEach(more -> bindings.add(binding(more)));
        return bindings;
    }

    private static String binding(HttpRule rule) {
        assertThat(rule.getPatternCase()).isEqualTo(HttpRule.PatternCase.POST);
        return "POST " + rule.getPost() + " body=" + rule.getBody();
    }

    /** The type in the words of the table: names without the package, and for nested types without the message, of the row. */
    private static String typeOf(FieldDescriptor field, Row row) {
        String name = switch (field.getJavaType()) {
            case MESSAGE -> shortName(field.getMessageType().getFullName(), row);
            case ENUM -> shortName(field.getEnumType().getFullName(), row);
            default -> field.getType().name().toLowerCase(Locale.ROOT);
        };
        @Nullable OneofDescriptor oneof = field.getRealContainingOneof();
        return (field.isRepeated() ? "repeated " : "")
                + name
                + (oneof == null ? "" : " (oneof " + oneof.getName() + ")");
    }

    private static String shortName(String fullName, Row row) {
        String nested = row.packageName() + "." + row.owner() + ".";
        if (fullName.startsWith(nested)) {
            return fullName.substring(nested.length());
        }
        String own = row.packageName() + ".";
        return fullName.startsWith(own) ? fullName.substring(own.length()) : fullName;
    }
}
