package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.LoopProgram;
import dev.kenaz.pass.Pass;
import dev.kenaz.value.Value;
import java.lang.ref.Reference;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * This is a program compiled for the JVM. It is thread-safe: several threads may call entries at
 * once, also on the same inputs.
 *
 * <p>Results own their memory, which the garbage collector frees.
 */
public final class JvmProgram implements AutoCloseable {
  private final Map<String, JvmEntry> entries = new LinkedHashMap<>();

  private final Constants constants;

  private JvmProgram(LoopProgram loops, JvmOptions options) {
    this.constants = new Constants(loops.constants(), options.checks());
    var workers = Workers.of(options.workers());
    NativeMemory.requireAccess();
    var possible = VectorModule.possible(options);
    var callees = new HashMap<String, LoopProgram.Callee>();
    loops.callees().forEach(c -> callees.put(c.name(), c));
    for (var f : loops.functions()) {
      Supplier<EntryCode> code =
          () -> EntryCode.of(f, callees, possible, constants, loops.places());
      entries.put(f.entry().name(), new JvmEntry(f.entry(), code, possible, workers));
    }
  }

  private JvmProgram(EntryPoint entry, EntryCode code, JvmOptions options) {
    this.constants = new Constants(List.of(), false);
    NativeMemory.requireAccess();
    var possible = VectorModule.possible(options);
    var workers = Workers.of(options.workers());
    entries.put(entry.name(), new JvmEntry(entry, () -> code, possible, workers));
  }

  /** Returns a program of one entry, whose code was {@linkplain #portable portable}. */
  public static JvmProgram of(EntryPoint entry, EntryCode code, JvmOptions options) {
    return new JvmProgram(entry, code, options);
  }

  /**
   * Returns what decides about the code that is made of a program: the options, and which vectors
   * this machine has. Code is as good in another process if this is the same there.
   */
  public static String target(JvmOptions options) {
    var possible = VectorModule.possible(options);
    return possible.vectors() == JvmOptions.Vectors.OFF
        ? possible.toString()
        : possible + ", vectors of " + Vectors.sizes();
  }

  /**
   * Makes the entry's class, if it isn't there yet, and returns its code if it can run in other
   * processes: it has no addresses of this one, and doesn't check its accesses to memory.
   */
  public Optional<EntryCode> portable(String entry) {
    var code = entries.get(entry).code();
    return Optional.of(code).filter(c -> constants.memory().isEmpty() && c.places().isEmpty());
  }

  /**
   * Returns the pass that makes such a program. The class of an entry is made when it is first
   * called.
   */
  public static Pass<LoopProgram, JvmProgram> pass(JvmOptions options) {
    return Pass.of("classes", "Makes a JVM class for each entry.", p -> new JvmProgram(p, options));
  }

  /**
   * Calls an entry.
   *
   * @param arguments the parameters' flat components, without the sizes, which are read off the
   *     arrays; native segments are read in place
   * @return the results' flat components, without the sizes
   * @throws UserError if the program fails, or the arguments don't fit the parameters
   */
  public List<Value> call(String entry, List<? extends Value> arguments) {
    var e = entries.get(entry);
    if (e == null) {
      throw new CompilerBug("jvm", "no entry point " + entry);
    }
    try {
      return e.call(arguments);
    } finally {
      Reference.reachabilityFence(constants);
    }
  }

  /** Makes the entry's class, if it isn't there yet. */
  public void prepare(String entry) {
    entries.get(entry).code();
  }

  /** Whether such a loop runs several of its iterations at once; none does without vectors. */
  public static boolean runsInVectors(Code.For loop) {
    if (!VectorModule.present()) {
      return false;
    }
    try {
      VectorLoops.of(loop);
      return true;
    } catch (Unsuitable u) {
      return false;
    }
  }

  /** Prints the classes' instructions. */
  public String print() {
    return entries.values().stream().map(JvmEntry::print).collect(Collectors.joining());
  }

  /** Forgets the compiled code; results stay valid. */
  @Override
  public void close() {
    entries.clear();
    constants.close();
  }
}
