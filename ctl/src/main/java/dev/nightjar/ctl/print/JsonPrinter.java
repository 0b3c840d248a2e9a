/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import com.google.gson.stream.JsonWriter;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.nightjar.api.etcdserverpb.MemberListResponse;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.api.mvccpb.Event;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;

/** One JSON value a response; owned by the thread that runs the command. */
final class JsonPrinter extends MessagePrinter implements EndpointPrinter {

    private static final Set<String> ID_FIELDS = Set.of("cluster_id", "member_id", "ID");

    private final Output output;
    private final boolean hex;

    JsonPrinter(Output output, boolean hex) {
        this.output = output;
        this.hex = hex;
    }

    @Override
    void print(Message response) {
        print(json -> json.message(response));
    }

    @Override
    public void watch(WatchResponse response) {
        print(json -> {
            json.writer().beginObject();
            json.writer().name("Header");
            json.message(response.getHeader());
            json.writer().name("Events");
            if (response.getEventsCount() == 0) {
                json.writer().nullValue();
            } else {
                json.writer().beginArray();
                for (Event event : response.getEventsList()) {
                    json.message(event);
                }
                json.writer().endArray();
            }
            json.writer().name("CompactRevision").value(response.getCompactRevision());
            json.writer().name("Canceled").value(response.getCanceled());
            json.writer().name("Created").value(response.getCreated());
            json.writer().name("CancelReason");
            json.text(response.getCancelReason());
            json.writer().endObject();
        });
    }

    @Override
    public void members(MemberListResponse response) {
        Set<String> hexFields = hex ? ID_FIELDS : Set.of();
        print(hexFields, json -> json.message(response));
    }

    @Override
    public void health(List<EndpointHealth> endpoints) {
        print(json -> {
            json.writer().beginArray();
            for (EndpointHealth endpoint : endpoints) {
                json.writer().beginObject();
                json.writer().name("endpoint");
                json.text(endpoint.endpoint());
                json.writer().name("health").value(endpoint.healthy());
                json.writer().name("took").value(Rows.took(endpoint));
                if (!endpoint.error().isEmpty()) {
                    json.writer().name("error");
                    json.text(endpoint.error());
                }
                json.writer().endObject();
            }
            json.writer().endArray();
        });
    }

    @Override
    public void hashKv(List<EndpointHashKv> endpoints) {
        print(json -> {
            if (endpoints.isEmpty()) {
                json.writer().nullValue();
                return;
            }
            json.writer().beginArray();
            for (EndpointHashKv endpoint : endpoints) {
                json.writer().beginObject();
                json.writer().name("Endpoint");
                json.text(endpoint.endpoint());
                json.writer().name("HashKV");
                json.message(endpoint.hash());
                json.writer().endObject();
            }
            json.writer().endArray();
        });
    }

    @Override
    public void status(List<EndpointStatus> endpoints) {
        print(json -> {
            json.writer().beginArray();
            for (EndpointStatus endpoint : endpoints) {
                json.writer().beginObject();
                json.writer().name("Endpoint");
                json.text(endpoint.endpoint());
                json.writer().name("Status");
                json.message(endpoint.status());
                json.writer().endObject();
            }
            json.writer().endArray();
        });
    }

    private interface Body {
        void write(JsonMessages json) throws IOException;
    }

    private void print(Body body) {
        print(Set.of(), body);
    }

    private void print(Set<String> hexFields, Body body) {
        StringWriter text = new StringWriter();
        try (JsonWriter writer = new JsonWriter(text)) {
            body.write(new JsonMessages(writer, hexFields));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        output.line(ByteString.copyFromUtf8(text.toString()));
        output.flush();
    }
}
