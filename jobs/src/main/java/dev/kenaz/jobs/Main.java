package dev.kenaz.jobs;

import dev.kenaz.jobs.command.BenchCommand;
import dev.kenaz.jobs.command.BindCommand;
import dev.kenaz.jobs.command.ClusterHomeCommand;
import dev.kenaz.jobs.command.CompareCommand;
import dev.kenaz.jobs.command.DataRunCommand;
import dev.kenaz.jobs.command.DatasetCommand;
import dev.kenaz.jobs.command.EvaluateCommand;
import dev.kenaz.jobs.command.ExportCommand;
import dev.kenaz.jobs.command.GpuBundleCommand;
import dev.kenaz.jobs.command.KmeansMllibCommand;
import dev.kenaz.jobs.command.ModelsCommand;
import dev.kenaz.jobs.command.PlanCommand;
import dev.kenaz.jobs.command.PlansBenchCommand;
import dev.kenaz.jobs.command.PredictCommand;
import dev.kenaz.jobs.command.ReportCommand;
import dev.kenaz.jobs.command.ScriptCommand;
import dev.kenaz.jobs.command.SparkBenchCommand;
import dev.kenaz.jobs.command.SweepCommand;
import dev.kenaz.jobs.command.TrainCommand;
import dev.kenaz.jobs.command.TrainingBenchCommand;
import dev.kenaz.jobs.command.WarmUp;
import java.util.SequencedMap;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ScopeType;

/**
 * The {@code kenaz} command line: it has the subcommands of {@link GpuNode}, and those that need
 * Spark or Arrow.
 */
@Command(
    name = "kenaz",
    description = "Compiles, differentiates and runs Futhark programs, on one machine or on Spark.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = CommandSet.Version.class)
public final class Main {
  private static final CommandSet ALL = new CommandSet(Main.class, Main::commands);

  /** Starts the command and ends the process with its status. */
  public static void main(String[] args) {
    ALL.start(args);
  }

  /** Runs a command as {@link #main} does, and returns the exit status. */
  public static int run(String... args) {
    return ALL.run(args);
  }

  /** Returns picocli's description with all subcommands. */
  public static CommandLine commandLine() {
    return ALL.commandLine();
  }

  private static SequencedMap<String, Supplier<Object>> commands() {
    var all = GpuNode.commands();
    all.put("run", DataRunCommand::new);
    all.put("bench", Main::bench);
    all.put("script", ScriptCommand::new);
    all.put("bind", BindCommand::new);
    all.put("plan", PlanCommand::new);
    all.put("train", TrainCommand::new);
    all.put("report", ReportCommand::new);
    all.put("sweep", SweepCommand::new);
    all.put("compare", CompareCommand::new);
    all.put("evaluate", EvaluateCommand::new);
    all.put("predict", PredictCommand::new);
    all.put("export", ExportCommand::new);
    all.put("models", ModelsCommand::new);
    all.put("dataset", DatasetCommand::new);
    all.put("gpu-bundle", GpuBundleCommand::new);
    all.put("cluster-home", ClusterHomeCommand::new);
    all.put("warm-up", WarmUp::new);
    return all;
  }

  /** Returns {@code bench} with the comparisons that need Spark. */
  private static CommandLine bench() {
    return new CommandLine(new BenchCommand())
        .addSubcommand(new KmeansMllibCommand())
        .addSubcommand(new SparkBenchCommand())
        .addSubcommand(new PlansBenchCommand())
        .addSubcommand(new TrainingBenchCommand());
  }
}
