package dev.kenaz.jvm;

import static dev.kenaz.error.ErrorCode.K3001;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.flatten.Filters;
import dev.kenaz.flatten.Flatten;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.FunDef;
import dev.kenaz.loopir.LoopProgram;
import dev.kenaz.loops.Lowering;
import dev.kenaz.value.Value;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A program compiled for the JVM. Thread-safe: entries may be called from several threads at once,
 * also on the same inputs.
 *
 * <p>Results own their memory, which the garbage collector frees.
 */
public final class JvmProgram implements AutoCloseable {
  private final Map<String, JvmEntry> entries = new LinkedHashMap<>();

  private final Constants constants;

  private JvmProgram(CoreProgram program, LoopProgram loops, JvmOptions options) {
    this.constants = new Constants(loops.constants(), options.checks());
    var workers = Workers.of(options.workers());
    NativeMemory.requireAccess();
    var possible = VectorModule.possible(options);
    var callees = new HashMap<String, LoopProgram.Callee>();
    loops.callees().forEach(c -> callees.put(c.name(), c));
    for (var f : loops.functions()) {
      var definition = program.function(f.entry().function());
      entries.put(
          f.entry().name(),
          new JvmEntry(f, callees, definition, possible, workers, constants, loops.places()));
    }
  }

  /**
   * Compiles every entry; classes are made when an entry is first called.
   *
   * @param program without derivatives
   */
  public static JvmProgram compile(CoreProgram program, JvmOptions options) {
    return new JvmProgram(
        program, Lowering.program(Filters.in(Flatten.program(program)), true), options);
  }

  /**
   * Calls an entry.
   *
   * @param arguments the parameters' flat components, without the sizes, which are read off the
   *     arrays; native segments are read in place
   * @return the results' flat components, without the sizes
   * @throws UserError if the program fails, or the arguments' sizes disagree
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
    entries.get(entry).compiled();
  }

  public List<EntryPoint> entries() {
    return entries.values().stream().map(JvmEntry::entry).toList();
  }

  /** Forgets the compiled code; results stay valid. */
  @Override
  public void close() {
    entries.clear();
    constants.close();
  }

  /** What the leading size parameters are, by the arrays that have them as dimensions. */
  static List<Long> sizes(FunDef f, int count, List<? extends Value> arguments) {
    var known = new Long[count];
    for (int i = 0; i < arguments.size(); i++) {
      var dims = f.params().get(count + i).type().dims();
      var shape = arguments.get(i).shape();
      for (int d = 0; d < dims.size(); d++) {
        int size = f.params().subList(0, count).indexOf(dims.get(d));
        if (size >= 0 && known[size] == null) {
          known[size] = shape[d];
        } else if (size >= 0 && known[size] != shape[d]) {
          var message = "sizes disagree: " + dims.get(d) + " is " + known[size];
          throw new UserError(K3001, Span.NONE, message + " and " + shape[d]);
        }
      }
    }
    var result = new ArrayList<Long>();
    for (int i = 0; i < count; i++) {
      if (known[i] == null) {
        throw new CompilerBug("jvm", "no argument has the size " + f.params().get(i));
      }
      result.add(known[i]);
    }
    return result;
  }
}
