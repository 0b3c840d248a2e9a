/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.util.List;

/**
 * The outcome of one check.
 *
 * @param subject what was looked at
 * @param detail what it holds, in a few words
 * @param findings what is wrong with it; empty if nothing is
 */
public record CheckResult(String subject, String detail, List<Finding> findings) {

    public CheckResult {
        findings = List.copyOf(findings);
    }
}
