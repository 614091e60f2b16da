package dev.kenaz.jobs.command;

import dev.kenaz.jobs.config.Settings;
import java.util.List;
import picocli.CommandLine.Option;

/** Settings that a command line gives over a configuration. */
final class SetOptions {
  @Option(
      names = "--set",
      paramLabel = "PATH=VALUE",
      description =
          "Use this value instead of the configuration's, as in --set optimiser.rate=0.1. It is"
              + " JSON or, if it can't be that, a string; null removes a setting. May be repeated.")
  private List<String> set = List.of();

  List<Settings.Setting> all() {
    return set.stream().map(Settings.Setting::read).toList();
  }
}
