package dev.kenaz.kernels;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.Arguments;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Calls a GPU program's entries on a device. For one caller at a time. */
public final class GpuRun implements AutoCloseable {
  private final GpuProgram program;
  private final Device device;
  private final ResidentArrays residents;
  private final Map<String, HostSteps.Entry> entries = new HashMap<>();
  private volatile long nanos;

  public GpuRun(GpuProgram program, Device device) {
    this.program = program;
    this.device = device;
    this.residents = device.residents();
  }

  /**
   * Calls an entry.
   *
   * @param arguments the parameters' flat components, without the sizes, which are read off the
   *     arrays
   * @return the results' flat components, without the sizes
   * @throws UserError if the program fails, or the arguments don't fit the parameters
   */
  public List<Value> call(String entry, List<? extends Value> arguments) {
    synchronized (residents) {
      return call(entries.computeIfAbsent(entry, this::translated), arguments);
    }
  }

  private HostSteps.Entry translated(String entry) {
    var f =
        program.functions().stream()
            .filter(x -> x.entry().name().equals(entry))
            .findFirst()
            .orElseThrow(() -> new CompilerBug("kernels", "no entry point " + entry));
    return HostSteps.entry(program, f);
  }

  private List<Value> call(HostSteps.Entry f, List<? extends Value> arguments) {
    var host = new HostCode(program, device, f.registers());
    var used = new ArrayList<ArrayValue>();
    try {
      bind(host, f, arguments, used);
      long start = System.nanoTime();
      host.call(f.body());
      nanos = System.nanoTime() - start;
      return results(host, f);
    } finally {
      host.release();
      used.forEach(residents::done);
    }
  }

  /** Frees what the device keeps of an array that will not be used again. */
  public void release(Value value) {
    if (value instanceof ArrayValue a) {
      residents.release(a);
    }
  }

  /** How long the last call took, without copies of arguments and results. */
  public long nanos() {
    return nanos;
  }

  private void bind(
      HostCode host, HostSteps.Entry f, List<? extends Value> arguments, List<ArrayValue> used) {
    var all = Arguments.of(f.function().entry(), f.function().variables(), arguments);
    for (int i = 0; i < all.size(); i++) {
      int reg = f.params()[i];
      switch (all.get(i)) {
        case ScalarValue s -> host.set(reg, s.bits());
        case ArrayValue a -> {
          long address = residents.use(a);
          used.add(a);
          host.memory().give(address, ArrayValue.byteSize(a.prim(), a.shape()));
          host.set(reg, address);
        }
      }
    }
  }

  private List<Value> results(HostCode host, HostSteps.Entry f) {
    var function = f.function();
    var values = new ArrayList<Value>();
    for (int i = 0; i < f.results().size(); i++) {
      var r = f.results().get(i);
      long bits = host.eval(r.value());
      values.add(
          switch (function.results().get(i)) {
            case LoopFun.ScalarResult(var e) -> new ScalarValue(e.prim(), bits);
            case LoopFun.ArrayResult(var prim, _, _, _) ->
                array(host, prim, bits, r.dims().stream().mapToLong(host::eval).toArray());
          });
    }
    return values.subList(function.entry().resultSizes(), values.size());
  }

  private ArrayValue array(HostCode host, Prim prim, long address, long[] shape) {
    long bytes = ArrayValue.byteSize(prim, shape);
    return bytes == 0
        ? ArrayValue.of(prim, ArrayValue.allocate(prim, shape), shape)
        : residents.result(prim, host.memory().handOver(address, bytes), shape);
  }

  @Override
  public void close() {
    device.close();
  }
}
