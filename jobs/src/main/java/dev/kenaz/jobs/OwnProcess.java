package dev.kenaz.jobs;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a kenaz command in a process of its own, because it may crash its process. */
public final class OwnProcess {
  private static volatile Class<?> main;

  private OwnProcess() {}

  /** Notes the class whose {@code main} is the command that this process runs. */
  static void begunBy(Class<?> command) {
    main = command;
  }

  /** Returns what starts the command as this process was started. Errors are part of its output. */
  public static ProcessBuilder of(List<String> arguments) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(a -> !a.startsWith("-D" + StandardError.PROPERTY)) // it isn't handed on
        .forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectErrorStream(true);
  }

  /** The version of Kenaz, from the build. */
  public static String version() {
    var version = OwnProcess.class.getPackage().getImplementationVersion();
    return version == null ? "(not packaged)" : version;
  }
}
