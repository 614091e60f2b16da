package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Arguments;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.StackOverflow;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CounterBounds;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.LoopFun.ArrayResult;
import dev.kenaz.loopir.LoopFun.ScalarResult;
import dev.kenaz.loopir.LoopProgram;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls one entry: makes its class on the first call, and converts arguments and results. */
final class JvmEntry {
  private static final Logger LOG = LoggerFactory.getLogger(JvmEntry.class);

  private final LoopFun function;
  private final Map<String, LoopProgram.Callee> callees;
  private final JvmOptions options;
  private final Workers workers;
  private final Constants constants;
  private final Map<Code, Span> places;
  private volatile Compiled compiled;

  record Compiled(MethodHandle run, Context context) {}

  JvmEntry(
      LoopFun function,
      Map<String, LoopProgram.Callee> callees,
      JvmOptions options,
      Workers workers,
      Constants constants,
      Map<Code, Span> places) {
    this.function = function;
    this.callees = callees;
    this.options = options;
    this.workers = workers;
    this.constants = constants;
    this.places = places;
  }

  EntryPoint entry() {
    return function.entry();
  }

  List<Value> call(List<? extends Value> arguments) {
    var c = compiled();
    var checked = new ArrayList<Long>();
    try (var arena = Arena.ofConfined()) {
      var in = arguments(arguments, arena, checked);
      var out = new long[resultWords()];
      run(c, in, out);
      return results(out);
    } finally {
      checked.forEach(CheckedMemory::release);
      Reference.reachabilityFence(arguments);
    }
  }

  private void run(Compiled c, long[] in, long[] out) {
    try {
      c.run.invokeExact(c.context, in, out);
    } catch (StackOverflowError _) {
      throw StackOverflow.in(entry().name());
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new CompilerBug("jvm", "generated code failed", e);
    }
  }

  // Values

  /**
   * Returns the arguments' bits.
   *
   * @param checked gets the addresses that are to be released after the call
   */
  private long[] arguments(List<? extends Value> arguments, Arena arena, List<Long> checked) {
    var all = Arguments.of(entry(), function.variables(), arguments);
    var in = new long[all.size()];
    for (int i = 0; i < in.length; i++) {
      in[i] =
          switch (all.get(i)) {
            case ScalarValue s -> s.bits();
            case ArrayValue a -> address(a, arena);
          };
      if (options.checks() && all.get(i) instanceof ArrayValue a) {
        var memory = MemorySegment.ofAddress(in[i]).reinterpret(a.data().byteSize());
        in[i] = CheckedMemory.constant(memory, "argument " + function.variables().get(i));
        checked.add(in[i]);
      }
    }
    return in;
  }

  private static long address(ArrayValue a, Arena arena) {
    var data = a.data();
    if (data.isNative()) {
      return data.address();
    }
    var copy = arena.allocate(data.byteSize(), ArrayValue.ALIGNMENT);
    copy.copyFrom(data);
    return copy.address();
  }

  private int resultWords() {
    int n = 0;
    for (var r : function.results()) {
      n +=
          switch (r) {
            case ScalarResult _ -> 1;
            case ArrayResult a -> 3 + a.dims().size();
          };
    }
    return n;
  }

  private List<Value> results(long[] out) {
    var values = new ArrayList<Value>();
    int at = 0;
    for (var r : function.results()) {
      switch (r) {
        case ScalarResult(var e) -> values.add(new ScalarValue(e.prim(), out[at++]));
        case ArrayResult(var prim, _, _, var dims) -> {
          var shape = new long[dims.size()];
          System.arraycopy(out, at + 3, shape, 0, shape.length);
          values.add(
              options.checks()
                  ? CheckedMemory.result(out[at], out[at + 2], prim, shape)
                  : NativeMemory.result(out[at], out[at + 1], out[at + 2], prim, shape));
          at += 3 + shape.length;
        }
      }
    }
    return values.subList(entry().resultSizes(), values.size());
  }

  // Code

  Compiled compiled() {
    var c = compiled;
    if (c == null) {
      synchronized (this) {
        c = compiled;
        if (c == null) {
          c = compile();
          compiled = c;
        }
      }
    }
    return c;
  }

  private EntryClass source() {
    var plain = CounterBounds.without(function);
    var code =
        options.vectors() == JvmOptions.Vectors.OFF ? plain : Lanes.in(Contraction.in(plain));
    return new EntryClass(code, callees, options, constants::address, places);
  }

  /** Prints the class that would be made. */
  String print() {
    var text = new StringBuilder("entry " + entry().name() + '\n');
    for (var m : ClassFile.of().parse(source().bytes()).methods()) {
      text.append("  ").append(m.methodName()).append(m.methodType()).append('\n');
      m.code().ifPresent(code -> code.forEach(e -> text.append("    ").append(e).append('\n')));
    }
    return text.toString();
  }

  private Compiled compile() {
    long start = System.nanoTime();
    if (options.vectors() == JvmOptions.Vectors.ON) {
      JitDirectives.want();
    }
    var source = source();
    var bytes = source.bytes();
    options.dump().ifPresent(folder -> dump(folder, bytes));
    try {
      var lookup = MethodHandles.lookup().defineHiddenClass(bytes, true);
      var type = MethodType.methodType(void.class, Context.class, long[].class, long[].class);
      var run = lookup.findStatic(lookup.lookupClass(), source.entryName(), type);
      var tasks =
          (Tasks)
              lookup
                  .findConstructor(lookup.lookupClass(), MethodType.methodType(void.class))
                  .invoke();
      LOG.debug(
          "entry {}: {} bytes of class file, {} ms",
          entry().name(),
          bytes.length,
          (System.nanoTime() - start) / 1_000_000);
      return new Compiled(
          run,
          new Context(
              workers, options.grain(), tasks, source.faults(), source.labels(), source.places()));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new CompilerBug("jvm", "the class of " + entry().name() + " doesn't load", e);
    }
  }

  private void dump(Path folder, byte[] bytes) {
    try {
      Files.createDirectories(folder);
      var file = folder.resolve(entry().name().replaceAll("[^A-Za-z0-9_]", "_") + ".class");
      Files.write(file, bytes);
      LOG.info("wrote {}", file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
