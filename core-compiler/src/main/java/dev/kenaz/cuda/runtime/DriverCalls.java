package dev.kenaz.cuda.runtime;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.kenaz.error.CompilerBug;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import jcuda.driver.CUfunction;
import jcuda.driver.CUstream;

/**
 * The calls that a program makes again and again, launches and copies on the device, without JCuda.
 * It takes each parameter of a kernel as an object with memory of its own, and a launch then costs
 * more than the kernel may. Here the words of all parameters lie in one block that is used again,
 * since the driver has copied them when a launch returns.
 *
 * <p>It serves one caller at a time.
 */
final class DriverCalls {
  /** A kernel's handle, whose number JCuda hides. */
  static final class Function extends CUfunction {
    long value() {
      return getNativePointer();
    }
  }

  /** A stream's handle, whose number JCuda hides. */
  static final class Stream extends CUstream {
    long value() {
      return getNativePointer();
    }
  }

  /** The driver's functions. A process has one driver, which {@link DriverProbe} has found. */
  private static final class Once {
    private static final ForeignLibrary DRIVER =
        ForeignLibrary.load(DriverProbe.report().library());

    static final MethodHandle LAUNCH =
        DRIVER.function(
            "cuLaunchKernel",
            FunctionDescriptor.of(
                JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT,
                JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS));

    static final MethodHandle COPY =
        DRIVER.function(
            "cuMemcpyDtoDAsync_v2",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
  }

  private final Stream stream;

  /** The words of the parameters, and then their addresses. */
  private MemorySegment words = MemorySegment.NULL;

  private MemorySegment addresses = MemorySegment.NULL;

  DriverCalls(Stream stream) {
    this.stream = stream;
  }

  /**
   * Starts a kernel.
   *
   * @param arguments the bits of each parameter, in the low bytes
   * @return the driver's status
   */
  int launch(Function kernel, int grid, int block, int shared, long[] arguments) {
    if (words.byteSize() < 8L * arguments.length) {
      room(Math.max(64, 2 * arguments.length));
    }
    MemorySegment.copy(arguments, 0, words, JAVA_LONG, 0, arguments.length);
    try {
      return (int)
          Once.LAUNCH.invokeExact(
              kernel.value(),
              grid,
              1,
              1,
              block,
              1,
              1,
              shared,
              stream.value(),
              addresses,
              MemorySegment.NULL);
    } catch (Throwable e) {
      throw new CompilerBug("cuda", "cuLaunchKernel failed", e);
    }
  }

  private void room(int parameters) {
    words = Arena.ofAuto().allocate(JAVA_LONG, parameters);
    addresses = Arena.ofAuto().allocate(ADDRESS, parameters);
    for (int i = 0; i < parameters; i++) {
      addresses.setAtIndex(ADDRESS, i, words.asSlice(8L * i));
    }
  }

  /** Copies on the device; returns the driver's status. */
  int copy(long to, long from, long bytes) {
    try {
      return (int) Once.COPY.invokeExact(to, from, bytes, stream.value());
    } catch (Throwable e) {
      throw new CompilerBug("cuda", "cuMemcpyDtoDAsync failed", e);
    }
  }
}
