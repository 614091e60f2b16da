package dev.kenaz.kernels;

import static dev.kenaz.error.ErrorCode.K5006;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.loopir.Fault;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/**
 * This is one run of host code. Kernels run behind the host; whether one has failed is asked where
 * the host waits for the device anyway. Until then the host goes on with indices and sizes that a
 * check in a kernel may have refused. So it touches its own memory only, and what it can't do it
 * takes for an error of its own only if no kernel has failed before.
 */
final class HostCode implements Eval.Lanes {
  /** So many iterations of a loop run without a look at the fault record. */
  private static final long LONG_LOOP = 1 << 12;

  private final GpuProgram program;
  private final Device device;
  private final HostMemory memory;
  private final long[] registers;
  private final MemorySegment word = MemorySegment.ofArray(new long[1]);
  private final long[] record = new long[(int) (Device.FAULT_BYTES / 8)];
  private final long faults;
  private boolean launched;

  /**
   * @param registers how many registers the code has
   */
  HostCode(GpuProgram program, Device device, int registers) {
    this.program = program;
    this.registers = new long[registers];
    this.device = device;
    memory = new HostMemory(device);
    faults = device.residents().allocate(Device.FAULT_BYTES);
    device.copyIn(faults, MemorySegment.ofArray(new long[(int) (Device.FAULT_BYTES / 8)]));
  }

  /** Returns what an expression of the host's code is now. */
  long eval(Eval e) {
    return e.of(this, 0);
  }

  boolean holds(Eval e) {
    return e.of(this, 0) != 0;
  }

  long get(int register) {
    return registers[register];
  }

  void set(int register, long bits) {
    registers[register] = bits;
  }

  HostMemory memory() {
    return memory;
  }

  long deviceMemory() {
    return device.memory();
  }

  /** Frees everything. */
  void release() {
    memory.release();
    device.free(faults);
  }

  /** Runs the whole code, and waits for the device. */
  void call(HostSteps.Step code) {
    try {
      code.run(this);
      checkFaults();
    } catch (UserError | ScalarOps.Fault e) {
      throw first(e);
    }
  }

  // Scalars

  @Override
  public long get(int register, int lane) {
    return registers[register];
  }

  @Override
  public long load(Prim prim, long address, int lane) {
    copyOut(word.asSlice(0, prim.byteSize()), address);
    return prim.normalise(word.get(ValueLayout.JAVA_LONG, 0));
  }

  void copyOut(MemorySegment to, long address) {
    demand(memory.mayRead(address, to.byteSize()), "a read");
    if (launched) {
      device.copyOut(MemorySegment.ofArray(record), faults, to, address);
      launched = false;
      throwFault();
    } else {
      device.copyOut(to, address);
    }
  }

  void store(Prim prim, long address, long bits) {
    demand(memory.mayWrite(address, prim.byteSize()), "a store");
    word.set(ValueLayout.JAVA_LONG, 0, bits);
    device.copyIn(address, word.asSlice(0, prim.byteSize()));
  }

  // Statements

  void copy(long to, long from, long bytes) {
    if (bytes > 0) {
      demand(memory.mayWrite(to, bytes) && memory.mayRead(from, bytes), "a copy");
      device.copy(to, from, bytes);
    }
  }

  /** Makes the block whose address and size are in these registers at least that large. */
  void ensure(int base, int capacity, long bytes) {
    if (registers[base] == 0 || registers[capacity] < bytes) {
      free(base);
      registers[base] = memory.allocate(bytes);
      registers[capacity] = bytes;
    }
  }

  /** Frees the block whose address is in the register. */
  void free(int base) {
    memory.free(registers[base]);
    registers[base] = 0;
  }

  void exchange(int a, int b) {
    long x = registers[a];
    registers[a] = registers[b];
    registers[b] = x;
  }

  void launch(Kernel kernel, long blocks, long threads, long shared, long[] arguments) {
    if (Thread.currentThread().isInterrupted()) {
      throw UserError.interrupted();
    }
    if (blocks > Integer.MAX_VALUE) {
      checkFaults();
    }
    if (blocks > 0) {
      device.launch(kernel, blocks, (int) threads, shared, faults, arguments);
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
  void nowAndThen(long iteration) {
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

  /** Returns the error that a fault with these arguments is. */
  static UserError error(Fault fault, List<Prim> prims, long[] bits) {
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
