package dev.kenaz.kernels;

import static dev.kenaz.error.ErrorCode.K5006;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Fault;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Slot;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * This is one run of host code. Kernels run behind the host; whether one has failed is asked where
 * the host waits for the device anyway. Until then the host goes on with indices and sizes that a
 * check in a kernel may have refused. So it touches its own memory only, and what it can't do it
 * takes for an error of its own only if no kernel has failed before.
 */
final class HostCode extends Evaluator {
  /** So many iterations of a loop run without a look at the fault record. */
  private static final long LONG_LOOP = 1 << 12;

  private final GpuProgram program;
  private final Device device;
  private final HostMemory memory;
  private final Frame frame = new Frame();
  private final MemorySegment word = MemorySegment.ofArray(new long[1]);
  private final long[] record = new long[(int) (Device.FAULT_BYTES / 8)];
  private final long faults;
  private boolean launched;

  HostCode(GpuProgram program, Device device) {
    this.program = program;
    this.device = device;
    memory = new HostMemory(device);
    faults = device.residents().allocate(Device.FAULT_BYTES);
    device.copyIn(faults, MemorySegment.ofArray(new long[(int) (Device.FAULT_BYTES / 8)]));
  }

  void set(Reg reg, long bits) {
    frame.set(reg, bits);
  }

  HostMemory memory() {
    return memory;
  }

  /** Frees everything. */
  void release() {
    memory.release();
    device.free(faults);
  }

  /** Runs the whole code, and waits for the device. */
  void call(List<Code> code) {
    try {
      run(code);
      checkFaults();
    } catch (UserError | ScalarOps.Fault e) {
      throw first(e);
    }
  }

  // Scalars

  @Override
  protected long register(Reg reg) {
    return frame.get(reg);
  }

  @Override
  protected long load(Prim prim, long address) {
    copyOut(word.asSlice(0, prim.byteSize()), address);
    return prim.normalise(word.get(ValueLayout.JAVA_LONG, 0));
  }

  private void copyOut(MemorySegment to, long address) {
    demand(memory.mayRead(address, to.byteSize()), "a read");
    if (launched) {
      device.copyOut(MemorySegment.ofArray(record), faults, to, address);
      launched = false;
      throwFault();
    } else {
      device.copyOut(to, address);
    }
  }

  /** Returns the read of an element at a constant place, if the code is one. */
  private static Optional<Expr.Load> element(Code c) {
    return c instanceof Code.Set(_, Expr.Load load)
            && load.base() instanceof Expr.Use
            && load.index() instanceof Expr.Lit
        ? Optional.of(load)
        : Optional.empty();
  }

  /** Returns how many statements from here on read one element each of one array. */
  private static int together(List<Code> code, int from) {
    var base = element(code.get(from)).map(Expr.Load::base);
    int n = 1;
    while (base.isPresent()
        && from + n < code.size()
        && element(code.get(from + n)).map(Expr.Load::base).equals(base)
        && !(code.get(from + n - 1) instanceof Code.Set(var reg, _)
            && Expr.use(reg).equals(base.get()))) {
      n++;
    }
    return n;
  }

  private static long offset(Code set) {
    var load = element(set).orElseThrow();
    return ((Expr.Lit) load.index()).value().bits() * load.prim().byteSize();
  }

  /** Reads the elements together, so that the host waits for the device once. */
  private void readTogether(List<Code> sets) {
    long from = sets.stream().mapToLong(HostCode::offset).min().orElseThrow();
    long to = sets.stream().mapToLong(HostCode::offset).max().orElseThrow() + 8;
    long last =
        sets.stream()
            .mapToLong(s -> offset(s) + element(s).orElseThrow().prim().byteSize())
            .max()
            .orElseThrow();
    var values = MemorySegment.ofArray(new long[(int) ((to - from + 7) / 8)]);
    long base = eval(element(sets.getFirst()).orElseThrow().base());
    copyOut(values.asSlice(0, last - from), base + from);
    for (var c : sets) {
      var prim = element(c).orElseThrow().prim();
      MemorySegment.copy(values, offset(c) - from, word, 0, prim.byteSize());
      frame.set(((Code.Set) c).reg(), prim.normalise(word.get(ValueLayout.JAVA_LONG, 0)));
    }
  }

  private void store(Prim prim, long address, long bits) {
    demand(memory.mayWrite(address, prim.byteSize()), "a store");
    word.set(ValueLayout.JAVA_LONG, 0, bits);
    device.copyIn(address, word.asSlice(0, prim.byteSize()));
  }

  // Statements

  void run(List<Code> code) {
    for (int k = 0; k < code.size(); ) {
      int n = together(code, k);
      if (n > 1) {
        readTogether(code.subList(k, k + n));
      } else {
        statement(code.get(k));
      }
      k += n;
    }
  }

  private void statement(Code c) {
    switch (c) {
      case Code.Set(var reg, var e) -> frame.set(reg, eval(e));
      case Code.Store(var prim, var base, var index, var value) ->
          store(prim, address(prim, base, index), eval(value));
      case Code.AtomicUpdate(var op, var prim, var base, var index, var value) -> {
        var old = new Expr.Load(prim, base, index);
        store(prim, address(prim, base, index), eval(new Expr.Bin(op, old, value)));
      }
      case Code.Ensure(var slot, var bytes) -> ensure(slot, eval(bytes));
      case Code.Free(var slot) -> {
        memory.free(frame.get(slot.base()));
        frame.set(slot.base(), 0);
      }
      case Code.Swap(var a, var b) -> {
        exchange(a.base(), b.base());
        exchange(a.capacity(), b.capacity());
      }
      case Code.CopyBytes(var to, var from, var bytes) -> copy(eval(to), eval(from), eval(bytes));
      case Code.If(var condition, var then, var otherwise) ->
          run(holds(condition) ? then : otherwise);
      case Code.For(var i, var bound, var body, _, _) -> {
        long n = eval(bound);
        for (long k = 0; k < n; k++) {
          frame.set(i, k);
          run(body);
          nowAndThen(k);
        }
      }
      case Code.While(var condition, var body) -> {
        for (long k = 0; holds(condition); k++) {
          run(body);
          nowAndThen(k);
        }
      }
      case Code.Check(var condition, var fault, var arguments) -> {
        if (!holds(condition)) {
          checkFaults();
          throw error(
              fault,
              arguments.stream().map(Expr::prim).toList(),
              arguments.stream().mapToLong(this::eval).toArray());
        }
      }
      case Code.Print(var label, var value) ->
          System.err.println(label + ": " + new ScalarValue(value.prim(), eval(value)));
      case Code.Gpu(GpuCode.Launch l) -> launch(l);
      case Code.Gpu _, Code.Plan _, Code.Parallel _, Code.MatrixProduct _, Code.Call _ ->
          throw new CompilerBug("kernels", "not for the host: " + c);
    }
  }

  private void copy(long to, long from, long bytes) {
    if (bytes > 0) {
      demand(memory.mayWrite(to, bytes) && memory.mayRead(from, bytes), "a copy");
      device.copy(to, from, bytes);
    }
  }

  private void ensure(Slot slot, long bytes) {
    long base = frame.get(slot.base());
    if (base == 0 || frame.get(slot.capacity()) < bytes) {
      memory.free(base);
      frame.set(slot.base(), 0);
      frame.set(slot.base(), memory.allocate(bytes));
      frame.set(slot.capacity(), bytes);
    }
  }

  private void exchange(Reg a, Reg b) {
    long x = frame.get(a);
    frame.set(a, frame.get(b));
    frame.set(b, x);
  }

  private void launch(GpuCode.Launch l) {
    long n = eval(l.blocks());
    var arguments = l.arguments().stream().mapToLong(this::eval).toArray();
    if (n > Integer.MAX_VALUE) {
      checkFaults();
    }
    if (n > 0) {
      long shared = eval(l.sharedBytes());
      int threads = (int) eval(l.threads());
      device.launch(program.kernel(l.kernel()), n, threads, shared, faults, arguments);
      launched = true;
    }
  }

  // Faults

  /** Waits for the device, and ends the program if a kernel has failed. */
  void checkFaults() {
    if (!launched) {
      return;
    }
    launched = false;
    device.copyOut(MemorySegment.ofArray(record), faults);
    throwFault();
  }

  /** Goes on only if it holds. That it doesn't may follow from what a kernel has noted. */
  private void demand(boolean inMemory, String what) {
    if (!inMemory && device.remembers()) {
      checkFaults();
      throw new CompilerBug("kernels", what + " outside of the memory that the host may touch");
    }
  }

  /** A loop whose end a failure has made unreachable ends nevertheless, and waits only rarely. */
  private void nowAndThen(long iteration) {
    if (iteration >= LONG_LOOP && Long.bitCount(iteration) == 1) {
      checkFaults();
    }
  }

  /** What a kernel has noted came before what ended the host's code. */
  private RuntimeException first(RuntimeException e) {
    try {
      checkFaults();
      return e;
    } catch (UserError noted) {
      return record[0] == 0 ? e : noted; // else the device is lost, and the first error says why
    }
  }

  private void throwFault() {
    if (record[0] == Device.NO_HEAP) {
      throw new UserError(
          K5006,
          "out of device memory: a thread of a kernel asked for more than is left of what is set"
              + " aside for arrays whose size only a thread knows",
          "use smaller inputs, or give the arrays inside maps sizes that don't depend on the"
              + " point");
    }
    if (record[0] != 0) {
      var site = program.faults().get((int) record[0] - 1);
      throw error(site.fault(), site.arguments(), Arrays.copyOfRange(record, 1, record.length));
    }
  }

  private static UserError error(Fault fault, List<Prim> prims, long[] bits) {
    var message = new StringBuilder();
    int at = 0;
    for (int i = 0; i < prims.size() && i < bits.length; i++) {
      int hole = fault.message().indexOf("{}", at);
      if (hole < 0) {
        break;
      }
      message.append(fault.message(), at, hole).append(text(prims.get(i), bits[i]));
      at = hole + 2;
    }
    message.append(fault.message().substring(at));
    return new UserError(fault.code(), fault.span(), message.toString());
  }

  private static String text(Prim prim, long bits) {
    if (prim.isUnsigned()) {
      return Long.toUnsignedString(bits);
    }
    return prim.isSigned() ? Long.toString(bits) : new ScalarValue(prim, bits).toString();
  }
}
