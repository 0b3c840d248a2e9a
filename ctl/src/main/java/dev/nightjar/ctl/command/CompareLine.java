/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.Compare;
import dev.nightjar.api.etcdserverpb.Compare.CompareResult;
import dev.nightjar.api.etcdserverpb.Compare.CompareTarget;
import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A condition of a transaction as a line, such as {@code mod("key") > "0"}; stateless, any thread. */
final class CompareLine {

    private static final String QUOTED = "\"(?:[^\"\\\\]|\\\\.)*+\"";
    private static final Pattern FORM = Pattern.compile("\\s*(?<target>\\w+)\\s*\\(\\s*(?<key>" + QUOTED
            + ")\\s*\\)\\s*(?<result>=|!=|<|>)\\s*(?<operand>" + QUOTED + ")\\s*");

    private CompareLine() {}

    /**
     * Reads a line.
     *
     * @throws CtlException if it is no condition
     */
    static Compare parse(String line) {
        Matcher form = FORM.matcher(line);
        if (!form.matches()) {
            throw new CtlException(ExitCode.INVALID_INPUT, "malformed comparison: " + line);
        }
        Compare.Builder compare = Compare.newBuilder()
                .setKey(RawText.bytes(Unquoted.of(form.group("key"))))
                .setResult(result(form.group("result")));
        String operand = Unquoted.of(form.group("operand"));
        switch (target(form.group("target"), line)) {
            case VERSION -> compare.setTarget(CompareTarget.VERSION).setVersion(number(operand, 10, line));
            case CREATE -> compare.setTarget(CompareTarget.CREATE).setCreateRevision(number(operand, 10, line));
            case MOD -> compare.setTarget(CompareTarget.MOD).setModRevision(number(operand, 10, line));
            case VALUE -> compare.setTarget(CompareTarget.VALUE).setValue(RawText.bytes(operand));
            case LEASE -> compare.setTarget(CompareTarget.LEASE).setLease(number(operand, 16, line));
            case UNRECOGNIZED -> throw new IllegalStateException(line);
        }
        return compare.build();
    }

    private static CompareTarget target(String name, String line) {
        return switch (name) {
            case "ver", "version" -> CompareTarget.VERSION;
            case "c", "create" -> CompareTarget.CREATE;
            case "m", "mod" -> CompareTarget.MOD;
            case "val", "value" -> CompareTarget.VALUE;
            case "lease" -> CompareTarget.LEASE;
            default ->
                throw new CtlException(
                        ExitCode.INVALID_INPUT, "malformed comparison: " + line + " (unknown target " + name + ")");
        };
    }

    private static CompareResult result(String sign) {
        return switch (sign) {
            case "=" -> CompareResult.EQUAL;
            case "!=" -> CompareResult.NOT_EQUAL;
            case "<" -> CompareResult.LESS;
            default -> CompareResult.GREATER;
        };
    }

    private static long number(String operand, int radix, String line) {
        try {
            return Long.parseLong(operand, radix);
        } catch (NumberFormatException e) {
            throw new CtlException(ExitCode.INVALID_INPUT, "invalid txn compare request: " + line, e);
        }
    }
}
