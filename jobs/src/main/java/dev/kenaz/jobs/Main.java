package dev.kenaz.jobs;

import dev.kenaz.Kenaz;
import dev.kenaz.ProgramSource;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.command.BenchCommand;
import dev.kenaz.jobs.command.Check;
import dev.kenaz.jobs.command.ClusterHome;
import dev.kenaz.jobs.command.DatasetCommand;
import dev.kenaz.jobs.command.Dev;
import dev.kenaz.jobs.command.DocCommand;
import dev.kenaz.jobs.command.EvalCommand;
import dev.kenaz.jobs.command.FmtCommand;
import dev.kenaz.jobs.command.GpuBundle;
import dev.kenaz.jobs.command.GpuCommand;
import dev.kenaz.jobs.command.GpuTestCommand;
import dev.kenaz.jobs.command.Ranges;
import dev.kenaz.jobs.command.ReplCommand;
import dev.kenaz.jobs.command.Run;
import dev.kenaz.jobs.command.ScriptCommand;
import dev.kenaz.jobs.command.ServerCommand;
import dev.kenaz.jobs.command.Sweep;
import dev.kenaz.jobs.command.TestCommand;
import dev.kenaz.jobs.command.Train;
import dev.kenaz.jobs.command.ValuesCommand;
import dev.kenaz.jobs.command.WarmUp;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The {@code kenaz} command line. */
@Command(
    name = "kenaz",
    description = "Compiles, differentiates and runs Futhark programs, on one machine or on Spark.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class)
public final class Main {
  /** Commands that compile or check a program. */
  private static final Set<String> COMPILING =
      Set.of("run", "check", "server", "test", "script", "repl", "eval", "dev");

  /** Starts the command and ends the process with its status. */
  public static void main(String[] args) {
    StandardError.restore();
    Thread.setDefaultUncaughtExceptionHandler((_, failure) -> endOf(failure));
    int status = run(args);
    System.out.flush();
    System.exit(status);
  }

  /** A thread of Spark's without memory would leave the others waiting for it. */
  private static void endOf(Throwable failure) {
    int status = ErrorReport.print(failure, new PrintWriter(System.err, true));
    if (failure instanceof OutOfMemoryError) {
      Runtime.getRuntime().halt(status);
    }
  }

  /** As {@link #main}, but returns the status. */
  public static int run(String... args) {
    if (args.length > 1 && COMPILING.contains(args[0])) {
      readPrelude();
    }
    var plain = plain(List.of(args));
    if (plain.isPresent()) {
      return plain(plain.get());
    }
    var named = args.length == 0 ? null : command(args);
    var line = named == null ? commandLine() : new CommandLine(new Main());
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
    line.registerConverter(Path.class, Main::path);
    line.setExecutionStrategy(
        parsed -> {
          Ranges.check(parsed);
          return new CommandLine.RunLast().execute(parsed);
        });
    try {
      return line.execute(args);
    } catch (Error e) { // picocli hands on only exceptions
      return ErrorReport.print(e, new PrintWriter(System.err, true));
    }
  }

  /** With all commands. */
  public static CommandLine commandLine() {
    var line = new CommandLine(new Main());
    Commands.ALL.forEach((name, command) -> line.addSubcommand(name, command.get()));
    return line;
  }

  /**
   * The command, where it is one that tools start by the thousand and has no options: reading the
   * description of a command takes longer than many a program.
   */
  private static Optional<Callable<Integer>> plain(List<String> args) {
    if (args.size() < 2 || args.stream().anyMatch(a -> a.startsWith("-") || a.startsWith("@"))) {
      return Optional.empty();
    }
    var rest = args.subList(1, args.size());
    if (args.getFirst().equals("check")) {
      return Optional.of(() -> new Check(rest.stream().map(Main::path).toList()).call());
    }
    return args.getFirst().equals("server") && rest.size() == 1
        ? Optional.of(() -> new ServerCommand(path(rest.getFirst())).call())
        : Optional.empty();
  }

  /** A path on the command line. */
  private static Path path(String written) {
    return UserPath.of(written, "K7501");
  }

  private static int plain(Callable<Integer> command) {
    try {
      return command.call();
    } catch (Exception | Error e) {
      return ErrorReport.print(e, new PrintWriter(System.err, true));
    }
  }

  /** Half of a short command's time: begun while the command line is looked at. */
  private static void readPrelude() {
    var nothing = ProgramSource.of("nothing.fut", "");
    Thread.ofPlatform().daemon().name("kenaz-prelude").start(() -> Kenaz.check(nothing));
  }

  private static Supplier<Object> command(String[] args) {
    boolean values =
        args[0].equals("dataset")
            && args.length > 1
            && args[1].startsWith("-")
            && !List.of("-h", "--help", "-V", "--version").contains(args[1]);
    return values ? ValuesCommand::new : Commands.ALL.get(args[0]);
  }

  /** Looked at only where a command is looked for by its name. */
  private static final class Commands {
    /** Made only when called for: looking at all of them takes longer than most commands. */
    static final SequencedMap<String, Supplier<Object>> ALL = new LinkedHashMap<>();

    static {
      ALL.put("run", Run::new);
      ALL.put("check", Check::new);
      ALL.put("server", ServerCommand::new);
      ALL.put("test", TestCommand::new);
      ALL.put("train", Train::new);
      ALL.put("sweep", Sweep::new);
      ALL.put("dataset", DatasetCommand::new);
      ALL.put("bench", BenchCommand::new);
      ALL.put("script", ScriptCommand::new);
      ALL.put("repl", ReplCommand::new);
      ALL.put("eval", EvalCommand::new);
      ALL.put("fmt", FmtCommand::new);
      ALL.put("doc", DocCommand::new);
      ALL.put("dev", Dev::new);
      ALL.put("gpu", GpuCommand::new);
      ALL.put("gpu-test", GpuTestCommand::new);
      ALL.put("gpu-bundle", GpuBundle::new);
      ALL.put("cluster-home", ClusterHome::new);
      ALL.put("warm-up", WarmUp::new);
    }
  }

  /** From the build. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      var version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"kenaz " + (version == null ? "(not packaged)" : version)};
    }
  }
}
