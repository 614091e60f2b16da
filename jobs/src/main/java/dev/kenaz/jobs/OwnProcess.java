package dev.kenaz.jobs;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
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
    return java(main, List.of(), arguments).redirectErrorStream(true);
  }

  /**
   * Returns what starts another class of Kenaz in a JVM with the same options.
   *
   * @param options further options of the JVM, which count more than those of this process
   */
  public static ProcessBuilder java(Class<?> main, List<String> options, List<String> arguments) {
    var command = java(options);
    command.add(main.getName());
    command.addAll(arguments);
    return new ProcessBuilder(command);
  }

  private static List<String> java(List<String> options) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(a -> !a.startsWith("-D" + StandardError.PROPERTY)) // it isn't handed on
        .forEach(command::add);
    command.addAll(options);
    command.addAll(List.of("-cp", classPath()));
    return command;
  }

  /**
   * Returns the class path of this process. Where Spark gave it the jar of the job, or those that
   * it resolved from a repository, they aren't part of what Java was started with.
   */
  private static String classPath() {
    var path = new StringBuilder();
    if (OwnProcess.class.getClassLoader() instanceof URLClassLoader given) {
      for (var url : given.getURLs()) {
        if (url.getProtocol().equals("file")) {
          path.append(file(url)).append(File.pathSeparator);
        }
      }
    }
    return path + System.getProperty("java.class.path");
  }

  private static Path file(URL url) {
    try {
      return Path.of(url.toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e); // It was a file's.
    }
  }

  /** The version of Kenaz, from the build. */
  public static String version() {
    var version = OwnProcess.class.getPackage().getImplementationVersion();
    return version == null ? "(not packaged)" : version;
  }
}
