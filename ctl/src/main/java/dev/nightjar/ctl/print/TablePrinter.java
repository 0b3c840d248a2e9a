/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import dev.nightjar.api.etcdserverpb.MemberListResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tables in a frame, heads in the middle of their columns and cells at the right; owned by the thread that runs the command. */
final class TablePrinter implements MemberPrinter, EndpointPrinter {

    private final Output output;

    TablePrinter(Output output) {
        this.output = output;
    }

    @Override
    public void members(MemberListResponse response) {
        table(Rows.MEMBER_COLUMNS, Rows.members(response));
    }

    @Override
    public void health(List<EndpointHealth> endpoints) {
        table(Rows.HEALTH_COLUMNS, endpoints.stream().map(Rows::health).toList());
    }

    @Override
    public void hashKv(List<EndpointHashKv> endpoints) {
        table(Rows.HASH_COLUMNS, endpoints.stream().map(Rows::hashKv).toList());
    }

    @Override
    public void status(List<EndpointStatus> endpoints) {
        table(Rows.STATUS_COLUMNS, endpoints.stream().map(Rows::status).toList());
    }

    private void table(List<String> heads, List<List<String>> cells) {
        List<List<String>> rows = cells.stream()
                .map(row -> row.stream().map(String::strip).toList())
                .toList();
        List<Integer> widths = new ArrayList<>();
        for (int column = 0; column < heads.size(); column++) {
            int place = column;
            widths.add(Stream.concat(Stream.of(heads), rows.stream())
                    .mapToInt(row -> width(row.get(place)))
                    .max()
                    .orElse(0));
        }
        rule(widths, "┌", "┬", "┐");
        row(widths, heads, TablePrinter::centred);
        if (!rows.isEmpty()) {
            rule(widths, "├", "┼", "┤");
        }
        rows.forEach(row -> row(widths, row, TablePrinter::right));
        rule(widths, "└", "┴", "┘");
    }

    private void rule(List<Integer> widths, String left, String middle, String end) {
        output.line(widths.stream().map(width -> "─".repeat(width + 2)).collect(Collectors.joining(middle, left, end)));
    }

    private void row(List<Integer> widths, List<String> cells, Alignment alignment) {
        StringBuilder line = new StringBuilder("│");
        for (int column = 0; column < cells.size(); column++) {
            line.append(' ')
                    .append(alignment.pad(cells.get(column), widths.get(column)))
                    .append(" │");
        }
        output.line(line.toString());
    }

    private interface Alignment {
        String pad(String cell, int width);
    }

    private static String right(String cell, int width) {
        return " ".repeat(width - width(cell)) + cell;
    }

    private static String centred(String cell, int width) {
        int left = (width - width(cell)) / 2;
        return " ".repeat(left) + cell + " ".repeat(width - width(cell) - left);
    }

    private static int width(String cell) {
        return cell.codePointCount(0, cell.length());
    }
}
