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
@Command(name = "test", description = "Runs the test blocks (-- ==) of programs.")
public final class TestCommand implements Callable<Integer> {
  @Parameters(
      arity = "1..*",
      paramLabel = "PROGRAM",
      description =
          "Programs (.fut files), or folders, of which all .fut files with test blocks"
              + " are taken.")
  private List<Path> places;

  @Option(
      names = "--backend",
      split = ",",
      defaultValue = "jvm",
      description =
          "Run programs by this backend: jvm, interpret, simulate, cuda, or all, which"
              + " means all but cuda (${DEFAULT-VALUE}).")
  private List<String> backends;

  @Option(
      names = "--device",
      paramLabel = "N",
      description =
          "With --backend cuda, use the GPU of this number, counted from 0; without"
              + " this option, the first that can be used.")
  @InRange(from = 0, to = 1023)
  private Integer device;

  @Option(
      names = "-i",
      description = "Run programs in the interpreter, as --backend=interpret does.")
  private boolean interpret;

  @Option(names = "-c", description = "Run compiled code only; this is so without the option, too.")
  private boolean compiled;

  @Option(names = "-C", description = "Compile the programs, but don't run them.")
  private boolean compileOnly;

  @Option(
      names = {"-t", "-I"},
      description = "Check the programs, but don't compile them.")
  private boolean checkOnly;

  @Option(
      names = "--entry-point",
      description =
          "Take only this entry point; without this option, all that the test blocks name.")
  private String entry;

  @Option(names = "--compare", description = "Also compare results with those of the interpreter.")
  private boolean compare;

  @Option(names = "--exclude", description = "Leave out programs and cases that have this tag.")
  private Set<String> excluded = Set.of();

  @Option(
      names = "--concurrency",
      description =
          "Test so many programs at a time; without this option, as many as there are cores.")
  @InRange(from = 1, to = 4096)
  private int concurrency = Runtime.getRuntime().availableProcessors();

  @Option(
      names = {"--no-terminal", "--no-tuning"},
      description =
          "This option is accepted for the sake of scripts, and ignored: Kenaz does so anyway.")
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
      description =
          "This option is accepted for the sake of scripts, and ignored: programs run"
              + " in this process.")
  private List<String> forOtherCompilers = List.of();

  @Option(
      names = "--runner",
      description =
          "This option is accepted for the sake of scripts; its value must be empty, as"
              + " programs run in this process.")
  private String runner = "";

  @Option(
      names = "-s",
      description =
          "Run structure tests only. These are about another compiler's form of"
              + " programs, so none is run.")
  private boolean structure;

  @Option(
      names = "--seed",
      paramLabel = "INT",
      description = "Make random arguments of properties from this seed (${DEFAULT-VALUE}).")
  @InRange(from = -InRange.ANY, to = InRange.ANY)
  private long seed = 1;

  @Option(names = "--verbose", description = "Also report what went well.")
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
      NvidiaDevice.require(options.device()); // The GPU is looked for once, not for every program.
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
