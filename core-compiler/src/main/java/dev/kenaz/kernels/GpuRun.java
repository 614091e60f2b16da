package dev.kenaz.kernels;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.Arguments;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;

/** Calls a GPU program's entries on a device. For one caller at a time. */
public final class GpuRun implements AutoCloseable {
  private final GpuProgram program;
  private final Device device;
  private final ResidentArrays residents;
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
    var f =
        program.functions().stream()
            .filter(x -> x.entry().name().equals(entry))
            .findFirst()
            .orElseThrow(() -> new CompilerBug("kernels", "no entry point " + entry));
    synchronized (residents) {
      return call(f, arguments);
    }
  }

  private List<Value> call(LoopFun f, List<? extends Value> arguments) {
    var host = new HostCode(program, device);
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
      HostCode host, LoopFun f, List<? extends Value> arguments, List<ArrayValue> used) {
    var all = Arguments.of(f.entry(), f.variables(), arguments);
    for (int i = 0; i < all.size(); i++) {
      var reg = f.params().get(i).reg();
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

  private List<Value> results(HostCode host, LoopFun f) {
    var values = new ArrayList<Value>();
    for (var r : f.results()) {
      switch (r) {
        case LoopFun.ScalarResult(var e) -> values.add(new ScalarValue(e.prim(), host.eval(e)));
        case LoopFun.ArrayResult(var prim, _, var address, var dims) -> {
          var shape = dims.stream().mapToLong(host::eval).toArray();
          long bytes = ArrayValue.byteSize(prim, shape);
          values.add(
              bytes == 0
                  ? ArrayValue.of(prim, ArrayValue.allocate(prim, shape), shape)
                  : residents.result(
                      prim, host.memory().handOver(host.eval(address), bytes), shape));
        }
      }
    }
    return values.subList(f.entry().resultSizes(), values.size());
  }

  @Override
  public void close() {
    device.close();
  }
}
