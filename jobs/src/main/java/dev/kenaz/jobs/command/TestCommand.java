package dev.kenaz.jobs.command;

import dev.kenaz.cuda.runtime.KernelUse;
import dev.kenaz.cuda.runtime.NvidiaDevice;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.jobs.tools.ToolFault;
import dev.kenaz.jobs.tools.suite.Outcome;
import dev.kenaz.jobs.tools.suite.Suite;
import dev.kenaz.jobs.tools.suite.SuiteOptions;
import dev.kenaz.options.Backend;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the test blocks of programs. */
@Command(
    name = "test",
    description = "Runs what the test blocks (-- ==) of programs ask for.",
    mixinStandardHelpOptions = true)
public final class TestCommand implements Callable<Integer> {
  @Parameters(
      arity = "1..*",
      paramLabel = "PROGRAM",
      description = "Programs, or folders: all .fut files with test blocks in them.")
  private List<Path> places;

  @Option(
      names = "--backend",
      split = ",",
      defaultValue = "jvm",
      description =
          "What runs them: jvm, interpret, simulate, cuda, or all but cuda (${DEFAULT-VALUE}).")
  private List<String> backends;

  @Option(
      names = "--device",
      paramLabel = "N",
      description = "Number of the GPU, with --backend cuda; the first usable one unless given.")
  @InRange(from = 0, to = 1023)
  private Integer device;

  @Option(names = "-i", description = "As --backend=interpret.")
  private boolean interpret;

  @Option(names = "-c", description = "Compiled code only; so it is without this.")
  private boolean compiled;

  @Option(names = "-C", description = "Compile the programs, but don't run them.")
  private boolean compileOnly;

  @Option(
      names = {"-t", "-I"},
      description = "Check the programs, but don't compile them.")
  private boolean checkOnly;

  @Option(names = "--entry-point", description = "Only this entry point.")
  private String entry;

  @Option(names = "--compare", description = "Compare results with the interpreter's, too.")
  private boolean compare;

  @Option(names = "--exclude", description = "Leave out programs and cases with this tag.")
  private Set<String> excluded = Set.of();

  @Option(
      names = "--concurrency",
      description = "Programs at a time; as many as cores unless given.")
  @InRange(from = 1, to = 4096)
  private int concurrency = Runtime.getRuntime().availableProcessors();

  @Option(
      names = {"--no-terminal", "--no-tuning"},
      description = "Nothing else is done anyway.")
  private boolean plain;

  @Option(
      names = {
        "--cache-extension",
        "--futhark",
        "--pass-compiler-option",
        "--pass-option",
        "--tuning"
      },
      paramLabel = "X",
      description = "Taken for the sake of scripts, and ignored: programs run in this process.")
  private List<String> forOtherCompilers = List.of();

  @Option(names = "--runner", description = "Must be empty: programs run in this process.")
  private String runner = "";

  @Option(
      names = "-s",
      description = "Structure tests alone: they are about another compiler's form; none is run.")
  private boolean structure;

  @Option(
      names = "--seed",
      paramLabel = "INT",
      description = "Of the random arguments of properties (${DEFAULT-VALUE}).")
  @InRange(from = -InRange.ANY, to = InRange.ANY)
  private long seed = 1;

  @Option(names = "--verbose", description = "Tell also what went well.")
  private boolean verbose;

  private int passed;
  private int failed;
  private final Set<Path> programs = new TreeSet<>();
  private final Set<Path> failedPrograms = new TreeSet<>();

  @Override
  public Integer call() {
    if (!runner.isEmpty()) {
      throw ToolFault.command("programs run in this process, not by " + runner);
    }
    if (structure) {
      System.out.println("structure tests are about another compiler's programs: none was run");
      return ExitStatus.OK;
    }
    var options =
        new SuiteOptions(
            List.copyOf(chosen()),
            BackendOptions.device(device, chosen().contains(Backend.CUDA)),
            checkOnly,
            compileOnly,
            Optional.ofNullable(entry),
            compare,
            excluded,
            concurrency,
            seed);
    if (options.backends().contains(Backend.CUDA)) {
      NvidiaDevice.require(options.device()); // once, not for every program
    }
    new Suite(options).run(places, outcomes -> outcomes.forEach(this::tell));
    if (options.backends().contains(Backend.CUDA)) {
      System.out.println(KernelUse.line());
    }
    System.out.printf(
        Locale.ROOT,
        "%d of %d programs and %d of %d cases passed%n",
        programs.size() - failedPrograms.size(),
        programs.size(),
        passed,
        passed + failed);
    return failed == 0 ? ExitStatus.OK : ExitStatus.BUG;
  }

  private Set<Backend> chosen() {
    var set = new LinkedHashSet<Backend>();
    for (var name : interpret ? List.of("interpret") : backends) {
      set.addAll(name.equals("all") ? Backend.EVERYWHERE : List.of(Backend.named(name)));
    }
    return set;
  }

  private void tell(Outcome o) {
    programs.add(o.file());
    o.note()
        .ifPresent(
            n ->
                System.out.printf(
                    "note  %s (%s): %s: %s%n", o.file(), o.backend().text(), o.name(), n));
    if (o.fault().isEmpty()) {
      passed++;
      if (verbose) {
        System.out.printf("ok    %s (%s): %s%n", o.file(), o.backend().text(), o.name());
      }
      return;
    }
    failed++;
    failedPrograms.add(o.file());
    System.out.printf(
        "FAIL  %s (%s): %s%n%s%n",
        o.file(), o.backend().text(), o.name(), o.fault().get().indent(6).stripTrailing());
  }
}
