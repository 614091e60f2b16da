package dev.kenaz.jobs;

import dev.kenaz.jobs.command.BenchCommand;
import dev.kenaz.jobs.command.CheckCommand;
import dev.kenaz.jobs.command.DevCommand;
import dev.kenaz.jobs.command.DocCommand;
import dev.kenaz.jobs.command.EvalCommand;
import dev.kenaz.jobs.command.FmtCommand;
import dev.kenaz.jobs.command.GpuCommand;
import dev.kenaz.jobs.command.GpuTestCommand;
import dev.kenaz.jobs.command.ReplCommand;
import dev.kenaz.jobs.command.RunCommand;
import dev.kenaz.jobs.command.ServerCommand;
import dev.kenaz.jobs.command.TestCommand;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.ScopeType;

/**
 * The {@code kenaz} command of a GPU bundle: the commands that need neither Spark nor Arrow, nor
 * Java's pictures. A bundle holds the classes that are reached from here.
 */
@Command(
    name = "kenaz",
    description = "Compiles, differentiates, tests and measures Futhark programs on a GPU node.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = CommandSet.Version.class)
public final class GpuNode {
  private static final CommandSet ALL = new CommandSet(GpuNode.class, GpuNode::commands);

  /** Starts the command and ends the process with its status. */
  public static void main(String[] args) {
    ALL.start(args);
  }

  static SequencedMap<String, Supplier<Object>> commands() {
    var all = new LinkedHashMap<String, Supplier<Object>>();
    all.put("run", RunCommand::new);
    all.put("check", CheckCommand::new);
    all.put("server", ServerCommand::new);
    all.put("test", TestCommand::new);
    all.put("bench", BenchCommand::new);
    all.put("repl", ReplCommand::new);
    all.put("eval", EvalCommand::new);
    all.put("fmt", FmtCommand::new);
    all.put("doc", DocCommand::new);
    all.put("dev", DevCommand::new);
    all.put("gpu", GpuCommand::new);
    all.put("gpu-test", GpuTestCommand::new);
    return all;
  }
}
