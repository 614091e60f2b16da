package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Arguments;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.StackOverflow;
import dev.kenaz.ir.Var;
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
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls one entry: loads its class on the first call, and converts arguments and results. */
final class JvmEntry {
  private static final Logger LOG = LoggerFactory.getLogger(JvmEntry.class);

  private final EntryPoint entry;
  private final Supplier<EntryCode> source;
  private final JvmOptions options;
  private final Workers workers;
  private volatile Compiled compiled;

  private record Compiled(EntryCode code, MethodHandle run, Context context) {}

  /**
   * @param source makes the code, or knows where it is
   */
  JvmEntry(EntryPoint entry, Supplier<EntryCode> source, JvmOptions options, Workers workers) {
    this.entry = entry;
    this.source = source;
    this.options = options;
    this.workers = workers;
  }

  List<Value> call(List<? extends Value> arguments) {
    var c = compiled();
    var code = c.code;
    var checked = new ArrayList<Long>();
    try (var arena = Arena.ofConfined()) {
      var in = arguments(code.params(), arguments, arena, checked);
      var out = new long[code.results().stream().mapToInt(EntryCode.Result::words).sum()];
      run(c, in, out);
      return results(code.results(), out);
    } finally {
      checked.forEach(CheckedMemory::release);
      Reference.reachabilityFence(arguments);
    }
  }

  private void run(Compiled c, long[] in, long[] out) {
    try {
      c.run.invokeExact(c.context, in, out);
    } catch (StackOverflowError _) {
      throw StackOverflow.in(entry.name());
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
  private long[] arguments(
      List<Var> params, List<? extends Value> arguments, Arena arena, List<Long> checked) {
    var all = Arguments.of(entry, params, arguments);
    var in = new long[all.size()];
    for (int i = 0; i < in.length; i++) {
      in[i] =
          switch (all.get(i)) {
            case ScalarValue s -> s.bits();
            case ArrayValue a -> address(a, arena);
          };
      if (options.checks() && all.get(i) instanceof ArrayValue a) {
        var memory = MemorySegment.ofAddress(in[i]).reinterpret(a.data().byteSize());
        in[i] = CheckedMemory.constant(memory, "argument " + params.get(i));
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

  private List<Value> results(List<EntryCode.Result> results, long[] out) {
    var values = new ArrayList<Value>();
    int at = 0;
    for (var r : results) {
      var prim = r.prim();
      if (r.rank() == 0) {
        values.add(new ScalarValue(prim, out[at]));
      } else {
        var shape = Arrays.copyOfRange(out, at + 3, at + r.words());
        values.add(
            options.checks()
                ? CheckedMemory.result(out[at], out[at + 2], prim, shape)
                : NativeMemory.result(out[at], out[at + 1], out[at + 2], prim, shape));
      }
      at += r.words();
    }
    return values.subList(entry.resultSizes(), values.size());
  }

  // Code

  /** Makes the class, if it isn't there yet, and returns its code. */
  EntryCode code() {
    return compiled().code;
  }

  private Compiled compiled() {
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

  /** Prints the class that would be made. */
  String print() {
    var text = new StringBuilder("entry " + entry.name() + '\n');
    for (var m : ClassFile.of().parse(source.get().classFile()).methods()) {
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
    var code = source.get();
    var bytes = code.classFile();
    options.dump().ifPresent(folder -> dump(folder, bytes));
    try {
      var lookup = MethodHandles.lookup().defineHiddenClass(bytes, true);
      var type = MethodType.methodType(void.class, Context.class, long[].class, long[].class);
      var run = lookup.findStatic(lookup.lookupClass(), code.method(), type);
      var tasks =
          (Tasks)
              lookup
                  .findConstructor(lookup.lookupClass(), MethodType.methodType(void.class))
                  .invoke();
      LOG.debug(
          "entry {}: {} bytes of class file, {} ms",
          entry.name(),
          bytes.length,
          (System.nanoTime() - start) / 1_000_000);
      var context =
          new Context(workers, options.grain(), tasks, code.faults(), code.labels(), code.places());
      return new Compiled(code, run, context);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new CompilerBug("jvm", "the class of " + entry.name() + " doesn't load", e);
    }
  }

  private void dump(Path folder, byte[] bytes) {
    try {
      Files.createDirectories(folder);
      var file = folder.resolve(entry.name().replaceAll("[^A-Za-z0-9_]", "_") + ".class");
      Files.write(file, bytes);
      LOG.info("wrote {}", file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
