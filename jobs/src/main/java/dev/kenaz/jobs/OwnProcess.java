package dev.kenaz.jobs;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The kenaz command once more, in a process of its own: what may take the process with it. */
public final class OwnProcess {
  private OwnProcess() {}

  /** What starts it, as this process was started; errors come with the output. */
  public static ProcessBuilder of(List<String> arguments) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(a -> !a.startsWith("-D" + StandardError.PROPERTY)) // it isn't handed on
        .forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectErrorStream(true);
  }
}
