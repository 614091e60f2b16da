package dev.kenaz.jobs;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.command.CheckCommand;
import dev.kenaz.jobs.command.Ranges;
import dev.kenaz.jobs.command.ServerCommand;
import dev.kenaz.jobs.command.ValuesCommand;
import dev.kenaz.jvm.VectorChecks;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * Runs lines of a command whose first word names a subcommand.
 *
 * @param main the class that starts the command, and describes it to picocli
 * @param table makes the subcommands by their names. The table and each subcommand are made only
 *     when they are needed, because picocli takes longer to describe all of them than most commands
 *     take to run
 */
record CommandSet(Class<?> main, Supplier<SequencedMap<String, Supplier<Object>>> table) {
  /** Commands that compile or check a program. */
  private static final Set<String> COMPILING =
      Set.of("run", "check", "server", "test", "script", "repl", "eval", "dev");

  /** Runs a line and returns the exit status. */
  int run(String... args) {
    OwnProcess.begunBy(main);
    if (args.length > 1 && COMPILING.contains(args[0])) {
      readPrelude();
    }
    var plain = plain(List.of(args));
    if (plain.isPresent()) {
      return plain(plain.get());
    }
    var named = args.length == 0 ? null : command(args);
    var line = named == null ? commandLine() : new CommandLine(main);
    if (named != null) {
      line.addSubcommand(args[0], named.get());
    }
    line.setExitCodeExceptionMapper(
        e -> e instanceof ParameterException ? ExitStatus.USAGE : ExitStatus.BUG);
    line.setExecutionExceptionHandler(
        (failure, command, parsed) -> ErrorReport.print(failure, command.getErr()));
    if (args.length == 0) {
      line.usage(line.getErr());
      return ExitStatus.USAGE;
    }
    line.registerConverter(Path.class, CommandSet::path);
    line.setExecutionStrategy(
        parsed -> {
          Ranges.check(parsed);
          return new CommandLine.RunLast().execute(parsed);
        });
    try {
      return line.execute(args);
    } catch (Error e) { // picocli passes on only exceptions.
      return ErrorReport.print(e, new PrintWriter(System.err, true));
    }
  }

  /** Returns picocli's description with all subcommands. */
  CommandLine commandLine() {
    var line = new CommandLine(main);
    table.get().forEach((name, command) -> line.addSubcommand(name, command.get()));
    return line;
  }

  /**
   * Returns a command that tools start thousands of times, if the line has no options. It is run
   * without picocli, which takes longer to describe the command than many programs take to run.
   */
  private static Optional<Callable<Integer>> plain(List<String> args) {
    if (args.size() < 2 || args.stream().anyMatch(a -> a.startsWith("-") || a.startsWith("@"))) {
      return Optional.empty();
    }
    var rest = args.subList(1, args.size());
    if (args.getFirst().equals("check")) {
      return Optional.of(
          () -> new CheckCommand(rest.stream().map(CommandSet::path).toList()).call());
    }
    return args.getFirst().equals("server") && rest.size() == 1
        ? Optional.of(() -> new ServerCommand(path(rest.getFirst())).call())
        : Optional.empty();
  }

  /** Checks a path on the command line, and returns it. */
  private static Path path(String written) {
    return UserPath.of(written, K7501);
  }

  private static int plain(Callable<Integer> command) {
    try {
      return command.call();
    } catch (Exception | Error e) {
      return ErrorReport.print(e, new PrintWriter(System.err, true));
    }
  }

  /**
   * Begins to check the prelude while the command line is parsed: it takes half of the time of a
   * short command.
   */
  private static void readPrelude() {
    var nothing = ProgramSource.of("nothing.fut", "");
    Thread.ofPlatform().daemon().name("kenaz-prelude").start(() -> Compiler.check(nothing));
  }

  private Supplier<Object> command(String[] args) {
    boolean values =
        args[0].equals("dataset")
            && args.length > 1
            && args[1].startsWith("-")
            && !List.of("-h", "--help", "-V", "--version").contains(args[1]);
    return values ? ValuesCommand::new : table.get().get(args[0]);
  }

  /** Runs a line, and ends the process with the exit status. */
  void start(String[] args) {
    VectorChecks.leaveOut();
    StandardError.restore();
    System.setErr(HidingStream.before(System.err));
    var output = StandardOutput.replace();
    Thread.setDefaultUncaughtExceptionHandler((_, failure) -> endOf(failure));
    int status = output.status(run(args), new PrintWriter(System.err, true));
    System.err.flush();
    System.exit(status);
  }

  /**
   * Ends the process after a failure of another thread: if one of Spark's threads had no memory,
   * the others would wait for it forever.
   */
  private static void endOf(Throwable failure) {
    int status = ErrorReport.print(failure, new PrintWriter(System.err, true));
    if (failure instanceof OutOfMemoryError) {
      Runtime.getRuntime().halt(status);
    }
  }

  /** Reads the version from the build. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"kenaz " + OwnProcess.version()};
    }
  }
}
