/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.Command;

/** Tells the version of the tool and of the API it speaks; owned by the thread that runs the command. */
@Command(
        name = "version",
        customSynopsis = "nightjar ctl version",
        description = "Tells the version of this client and of the API it speaks.")
final class VersionCommand extends CtlCommand {

    private static final String API_VERSION = "3.7";
    private static final String PROPERTIES = "/dev/nightjar/ctl/version.properties";

    @Override
    void run(RootCommand root) {
        root.console().out().print("nightjar ctl version: " + version() + "\nAPI version: " + API_VERSION + "\n");
    }

    private static String version() {
        try (InputStream in = VersionCommand.class.getResourceAsStream(PROPERTIES)) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version", "unknown");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
