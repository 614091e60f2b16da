package dev.kenaz.loopir;

import static dev.kenaz.ir.IllFormed.require;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.IllFormed;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks that programs in loop form are well formed: their code is (see {@link FrameVerifier}),
 * calls and launches fit what they call and launch, and each machine is given only what it has.
 */
public final class LoopVerifier {
  private LoopVerifier() {}

  /**
   * @param pass the pass that made the program; the message names it
   * @throws CompilerBug if the program isn't well formed; the message names the pass and a file
   *     with the program
   */
  public static void verify(LoopProgram program, String pass) {
    IllFormed.blame(pass, () -> LoopPrinter.print(program), () -> program(program));
  }

  /** Does the same as {@link #verify(LoopProgram, String)}. */
  public static void verify(GpuEntries program, String pass) {
    var machine = new Host(new HashMap<>(), program.parallel());
    IllFormed.blame(
        pass,
        () -> LoopPrinter.print(program),
        () -> {
          program.entries().forEach(e -> machine.add(e.kernels()));
          program.entries().forEach(e -> function(e.host(), machine));
          program.entries().forEach(e -> kernels(e.kernels(), List.of(), true));
        });
  }

  /** Does the same as {@link #verify(LoopProgram, String)}. */
  public static void verify(GpuProgram program, String pass) {
    var machine = new Host(new HashMap<>(), false);
    IllFormed.blame(
        pass,
        () -> LoopPrinter.print(program),
        () -> {
          machine.add(program.kernels());
          program.functions().forEach(f -> function(f, machine));
          kernels(program.kernels(), program.faults(), false);
        });
  }

  private static void function(LoopFun f, FrameVerifier.Machine machine) {
    in(f.entry().name(), () -> FrameVerifier.function(machine, f.params(), f.body(), f.results()));
  }

  private static void kernels(List<Kernel> kernels, List<GpuProgram.Site> faults, boolean checks) {
    kernels.forEach(k -> in(k.name(), () -> KernelVerifier.check(k, faults, checks)));
  }

  private static void in(String name, Runnable check) {
    try {
      check.run();
    } catch (IllFormed e) {
      throw new IllFormed("in " + name + ": " + e.getMessage());
    }
  }

  private static void program(LoopProgram program) {
    var callees = new HashMap<String, LoopProgram.Callee>();
    for (var c : program.callees()) {
      require(callees.put(c.name(), c) == null, "two functions " + c.name());
    }
    var parallel = parallel(callees);
    for (var c : program.callees()) {
      in(
          c.name(),
          () ->
              FrameVerifier.function(
                  new Cpu(callees, parallel), c.params(), c.body(), c.results()));
    }
    program.functions().forEach(f -> function(f, new Cpu(callees, parallel)));
  }

  /** Returns the functions that start parallel work, or call one that does. */
  private static Set<String> parallel(Map<String, LoopProgram.Callee> callees) {
    var found = new HashSet<String>();
    int before;
    do {
      before = found.size();
      callees.forEach(
          (name, c) ->
              CodeWalk.code(
                  c.body(),
                  s -> {
                    if (s instanceof Code.Parallel
                        || s instanceof Code.Call call && found.contains(call.function())) {
                      found.add(name);
                    }
                  },
                  _ -> {}));
    } while (found.size() > before);
    return found;
  }

  /** Cores with shared memory. */
  private record Cpu(Map<String, LoopProgram.Callee> callees, Set<String> parallel)
      implements FrameVerifier.Machine {
    @Override
    public void statement(Code c) {
      switch (c) {
        case Code.Parallel p -> CodeWalk.code(p.body(), this::inTask, _ -> {});
        case Code.Gpu _ -> throw new IllFormed("a GPU's statement in a program for the JVM");
        default -> {}
      }
    }

    private void inTask(Code c) {
      boolean starts = c instanceof Code.Call call && parallel.contains(call.function());
      require(!starts, "a call of a parallel function inside of parallel work");
    }

    @Override
    public LoopProgram.Callee callee(String name) {
      require(callees.containsKey(name), "there is no function " + name);
      return callees.get(name);
    }
  }

  /**
   * What launches kernels.
   *
   * @param parallel whether some of them are parallel loops still
   */
  private record Host(Map<String, Kernel> kernels, boolean parallel)
      implements FrameVerifier.Machine {
    void add(List<Kernel> all) {
      all.forEach(k -> require(kernels.put(k.name(), k) == null, "two kernels " + k.name()));
    }

    @Override
    public void statement(Code c) {
      boolean known =
          switch (c) {
            case Code.Gpu(var g) -> g instanceof GpuCode.Launch || g instanceof GpuCode.Memory;
            case Code.Plan _, Code.Parallel _ -> parallel;
            case Code.MatrixProduct _, Code.Call _ -> false;
            default -> true;
          };
      require(known, "a statement that the host doesn't have");
    }

    /** A loop that ran on the device says which buffers its slots have exchanged. */
    @Override
    public boolean ownsSlots() {
      return false;
    }

    @Override
    public LoopProgram.Callee callee(String name) {
      throw new IllFormed("a call on the host");
    }

    @Override
    public void gpu(GpuCode g) {
      if (g instanceof GpuCode.Memory(var to)) {
        ExprRules.words(List.of(Expr.use(to)), "the device's memory");
      }
      if (!(g
          instanceof GpuCode.Launch(var name, var blocks, var threads, var shared, var given))) {
        return;
      }
      ExprRules.words(List.of(blocks, threads, shared), "a launch's operand");
      var kernel = kernels.get(name);
      require(kernel != null, "there is no kernel " + name);
      require(
          kernel.params().size() == given.size(),
          given.size() + " arguments for " + kernel.params().size() + " parameters of " + name);
      for (int k = 0; k < given.size(); k++) {
        ExprRules.agree(kernel.params().get(k).reg().prim(), given.get(k), "an argument");
      }
      boolean takes = kernel.shared().stream().anyMatch(s -> s.count() == 0);
      require(takes || Expr.isConst(shared, 0), "shared memory for a kernel that names none");
    }
  }
}
