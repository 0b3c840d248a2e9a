/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.DefragmentRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.HashKVRequest;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.RangeStreamResponse;
import dev.nightjar.api.etcdserverpb.ResponseHeader;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.verify.driver.ApiClient;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Sends the requests of a script and turns the answers into its text; owned by the test's thread. */
final class ScriptClient {
    private final ApiClient api;

    ScriptClient(ApiClient api) {
        this.api = api;
    }

    /** The answer to one request line. */
    List<String> answer(String line) {
        String method = line.substring(0, (line + " ").indexOf(' '));
        String body = line.substring(method.length());
        try {
            return fields(call(method, body));
        } catch (StatusRuntimeException e) {
            return List.of("! " + e.getStatus().getCode() + " " + e.getStatus().getDescription());
        } catch (TextFormat.ParseException e) {
            throw new AssertionError("not a request: " + line, e);
        }
    }

    private Message call(String method, String body) throws TextFormat.ParseException {
        return switch (method) {
            case "range" ->
                api.kv().range(parse(body, RangeRequest.newBuilder()).build());
            case "rangestream" ->
                collect(api.kv()
                        .rangeStream(parse(body, RangeRequest.newBuilder()).build()));
            case "put" -> api.kv().put(parse(body, PutRequest.newBuilder()).build());
            case "delete" ->
                api.kv()
                        .deleteRange(
                                parse(body, DeleteRangeRequest.newBuilder()).build());
            case "txn" -> api.kv().txn(parse(body, TxnRequest.newBuilder()).build());
            case "compact" ->
                api.kv().compact(parse(body, CompactionRequest.newBuilder()).build());
            case "hashkv" ->
                api.maintenance().hashKV(parse(body, HashKVRequest.newBuilder()).build());
            case "alarm" ->
                api.maintenance().alarm(parse(body, AlarmRequest.newBuilder()).build());
            case "defragment" ->
                api.maintenance()
                        .defragment(parse(body, DefragmentRequest.newBuilder()).build());
            default -> throw new AssertionError("unknown method: " + method);
        };
    }

    private static <B extends Message.Builder> B parse(String body, B builder) throws TextFormat.ParseException {
        TextFormat.merge(body, builder);
        return builder;
    }

    /** Joins the chunks of a streamed range; only the last may carry the header, and only it has to. */
    private static RangeResponse collect(Iterator<RangeStreamResponse> chunks) {
        RangeResponse.Builder whole = RangeResponse.newBuilder();
        while (chunks.hasNext()) {
            RangeResponse chunk = chunks.next().getRangeResponse();
            if (chunk.hasHeader() == chunks.hasNext()) {
                throw new AssertionError("a header belongs on the last chunk and on no other");
            }
            whole.mergeFrom(chunk);
        }
        return whole.build();
    }

    private static List<String> fields(Message message) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<FieldDescriptor, Object> field : message.getAllFields().entrySet()) {
            if (field.getValue() instanceof List<?> values) {
                for (Object value : values) {
                    lines.add("= " + text(field.getKey(), value));
                }
            } else {
                lines.add("= " + text(field.getKey(), field.getValue()));
            }
        }
        return lines.isEmpty() ? List.of("=") : lines;
    }

    private static String text(FieldDescriptor field, Object value) {
        if (value instanceof ResponseHeader header
                && header.getClusterId() != 0
                && header.getMemberId() != 0
                && header.getRaftTerm() != 0) {
            return "@" + header.getRevision();
        }
        if (value instanceof Message message) {
            return (field.getName() + " { "
                                    + TextFormat.printer()
                                            .emittingSingleLine(true)
                                            .printToString(message))
                            .strip()
                    + " }";
        }
        return field.getName() + ": " + value;
    }
}
