/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import java.util.Comparator;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Layout;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The help of commands: each shows its own options, and only the tool as a whole those of all commands. Stateless, any thread. */
final class HelpText {

    private static final String MORE = "\nnightjar ctl --help lists the options that every command takes.\n";

    private HelpText() {}

    /** Changes how a command and all below it show their help. */
    static void install(CommandLine line) {
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, HelpText::options);
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_FOOTER, HelpText::footer);
        line.getSubcommands().values().forEach(HelpText::install);
    }

    private static String options(Help help) {
        List<OptionSpec> options = help.commandSpec().options().stream()
                .filter(option -> !fromRoot(option, help))
                .sorted(Comparator.comparing(OptionSpec::longestName))
                .toList();
        Layout layout = help.createDefaultLayout(options, List.of(), help.colorScheme());
        layout.addAllOptions(options, help.createDefaultParamLabelRenderer());
        return layout.toString();
    }

    private static String footer(Help help) {
        return isRoot(help) ? "" : MORE;
    }

    private static boolean fromRoot(OptionSpec option, Help help) {
        return !isRoot(help) && help.commandSpec().root().findOption(option.longestName()) != null;
    }

    private static boolean isRoot(Help help) {
        return help.commandSpec().parent() == null;
    }
}
