/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The table of facts about the API, one row a service, rpc, message field, enum value or option; any thread. */
final class ApiTable {

    /**
     * One row. Columns that do not apply are empty.
     *
     * @param owner the service, message or enum around the named thing, nested names with dots; for an option, what it extends
     * @param since the etcd minor release that brought it
     */
    record Row(
            String packageName,
            String kind,
            String owner,
            String name,
            String number,
            String type,
            String http,
            String since) {

        boolean isOption() {
            return owner.startsWith("extend ");
        }

        boolean isField() {
            return kind.equals("message") && !isOption() && !number.isEmpty();
        }

        /** A name for messages: `package.owner.name`. */
        String path() {
            return packageName + "." + owner + (name.isEmpty() ? "" : "." + name);
        }
    }

    private static final int COLUMNS = 8;

    private ApiTable() {}

    static List<Row> rows() {
        try (InputStream in = ApiTable.class.getResourceAsStream("/api-fields.tsv")) {
            if (in == null) {
                throw new IllegalStateException("api-fields.tsv is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .skip(1)
                    .map(ApiTable::parse)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Row parse(String line) {
        String[] cells = line.split("\t", -1);
        if (cells.length != COLUMNS) {
            throw new IllegalStateException("not " + COLUMNS + " columns: " + line);
        }
        return new Row(cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7]);
    }
}
