/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import com.google.gson.stream.JsonWriter;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Protobuf messages as the JSON that Go programs make of them; owned by the thread that writes.
 *
 * <p>Fields come in the order of their numbers under the names of the API definition. Those that are zero, empty or unset are left
 * out. Numbers and enums are numbers, bytes are base64. A field of a oneof lies one object deeper, under the name of the oneof.
 */
final class JsonMessages {

    private final JsonWriter writer;
    private final Set<String> hexFields;

    /**
     * Writes to a writer.
     *
     * @param hexFields names of integer fields to write as hexadecimal text
     */
    JsonMessages(JsonWriter writer, Set<String> hexFields) {
        this.writer = writer;
        this.hexFields = hexFields;
    }

    JsonWriter writer() {
        return writer;
    }

    /** Writes one message. */
    void message(Message message) throws IOException {
        writer.beginObject();
        for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
            FieldDescriptor field = entry.getKey();
            OneofDescriptor oneof = field.getRealContainingOneof();
            if (oneof == null) {
                member(field, entry.getValue());
            } else {
                writer.name(capitalised(oneof.getName()));
                writer.beginObject();
                member(field, entry.getValue());
                writer.endObject();
            }
        }
        writer.endObject();
    }

    /** Writes text, escaping what Go escapes. */
    void text(String text) throws IOException {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> json.append('\\').append(c);
                case '\b' -> json.append("\\b");
                case '\f' -> json.append("\\f");
                case '\n' -> json.append("\\n");
                case '\r' -> json.append("\\r");
                case '\t' -> json.append("\\t");
                case '<', '>', '&', '\u2028', '\u2029' -> json.append("\\u%04x".formatted((int) c));
                default -> json.append(c < ' ' ? "\\u%04x".formatted((int) c) : Character.toString(c));
            }
        }
        writer.jsonValue(json.append('"').toString());
    }

    private void member(FieldDescriptor field, Object value) throws IOException {
        writer.name(field.getName());
        if (field.isRepeated()) {
            writer.beginArray();
            for (@Nullable Object element : (List<?>) value) {
                if (element != null) {
                    value(field, element);
                }
            }
            writer.endArray();
        } else {
            value(field, value);
        }
    }

    private void value(FieldDescriptor field, Object value) throws IOException {
        switch (field.getJavaType()) {
            case MESSAGE -> message((Message) value);
            case STRING -> text((String) value);
            case BYTE_STRING -> writer.value(Base64.getEncoder().encodeToString(((ByteString) value).toByteArray()));
            case BOOLEAN -> writer.value((boolean) value);
            case ENUM -> writer.value(((EnumValueDescriptor) value).getNumber());
            case INT, LONG -> number(field, ((Number) value).longValue());
            case FLOAT, DOUBLE ->
                throw new IllegalArgumentException("the API has no field like " + field.getFullName());
        }
    }

    private void number(FieldDescriptor field, long value) throws IOException {
        if (hexFields.contains(field.getName())) {
            writer.value(Hex.id(value));
        } else if (field.getType() == FieldDescriptor.Type.UINT64) {
            writer.value(new BigInteger(Long.toUnsignedString(value)));
        } else if (field.getType() == FieldDescriptor.Type.UINT32) {
            writer.value(value & 0xffff_ffffL);
        } else {
            writer.value(value);
        }
    }

    private static String capitalised(String name) {
        return Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }
}
