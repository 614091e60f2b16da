package dev.kenaz.cuda.runtime;

import static dev.kenaz.error.ErrorCode.K5101;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/** What a device makes of calls that fail: part of {@link DeviceExercise}. */
final class CallsExercise {
  private static final String KERNELS =
      """
      extern "C" { unsigned char first__parameters[] = {8, 0}; }
      extern "C" void first__launch(unsigned g, unsigned b, unsigned s, void **p) { **(int **)p[0] += 1; }
      extern "C" { unsigned char second__parameters[] = {8, 0}; }
      extern "C" void second__launch(unsigned g, unsigned b, unsigned s, void **p) { **(int **)p[0] += 1; }
      """;

  /** All that is called for a device, but for those whose failure doesn't matter. */
  private static final List<String> FUNCTIONS =
      List.of(
          "cuDevicePrimaryCtxRetain",
          "cuCtxSetCurrent",
          "cuStreamCreate",
          "cuMemHostAlloc",
          "cuEventCreate",
          "cuMemAlloc_v2",
          "cuMemcpyHtoDAsync_v2",
          "cuEventRecord",
          "cuEventSynchronize",
          "cuModuleGetFunction",
          "cuFuncGetAttribute",
          "cuLaunchKernel",
          "cuMemcpyDtoDAsync_v2",
          "cuMemsetD8Async",
          "cuStreamSynchronize",
          "cuMemcpyDtoHAsync_v2",
          "cuModuleUnload");

  private final ForeignLibrary driver;

  CallsExercise(ForeignLibrary driver) {
    this.driver = driver;
  }

  void run() {
    everyCallMayFail();
    memoryOfTheDriverIsFound();
    heapLimitMayBeRefused();
    faultsNameKernels();
  }

  /** One use of all that a device can do. */
  private static int use(CudaDevice device) {
    long a = device.allocate(4);
    long b = device.allocate(4);
    device.copyIn(a, MemorySegment.ofArray(new int[] {40}));
    var module = device.load(KERNELS, List.of());
    device.launch(module.kernel("first"), 1, 1, 0, a);
    device.launch(module.kernel("second"), 1, 1, 0, a);
    device.fill(b, (byte) 0, 4);
    device.copy(b, a, 4);
    device.synchronize();
    var out = new int[1];
    device.copyOut(MemorySegment.ofArray(out), b);
    module.unload();
    device.free(a);
    device.free(b);
    return out[0];
  }

  private void everyCallMayFail() {
    for (var function : FUNCTIONS) {
      for (int status : new int[] {1, 999}) {
        failing(function, status, 0);
        var e =
            assertThrows(
                RuntimeException.class,
                () -> {
                  try (var device = CudaDevice.open(OptionalInt.of(0))) {
                    use(device);
                  }
                },
                function);
        assertEquals(status == 1, e instanceof CompilerBug, function + ": " + e);
        var name = status == 1 ? "CUDA_ERROR_INVALID_VALUE" : "CUDA_ERROR_UNKNOWN";
        assertTrue(e.getMessage().contains(" failed: "), e.getMessage());
        assertTrue(e.getMessage().contains(name), e.getMessage());
        try (var device = CudaDevice.open(OptionalInt.of(0))) {
          assertEquals(42, use(device), function); // all is well again
        }
      }
    }
  }

  /** Blocks that are kept for reuse make room for kernels, their code and their stacks. */
  private void memoryOfTheDriverIsFound() {
    for (var function :
        List.of("cuModuleLoadData", "cuModuleGetFunction", "cuLaunchKernel", "cuMemAlloc_v2")) {
      try (var device = CudaDevice.open(OptionalInt.of(0))) {
        device.free(device.allocate(1 << 20));
        failing(function, CudaStatus.OUT_OF_MEMORY, 0);
        assertEquals(42, use(device), function);
        assertTrue(device.memoryUse()[1] < 1 << 20, function + " gave back what was kept");
      }
    }
  }

  private void heapLimitMayBeRefused() {
    failing("cuCtxSetLimit", 1, 0);
    try (var device = CudaDevice.open(OptionalInt.of(0))) {
      assertEquals(42, use(device));
    }
  }

  /** A fault is noticed later than it happens; then the kernels that ran since are told. */
  private void faultsNameKernels() {
    assertTrue(fault(1, false).endsWith("in kernel first"));
    var several = fault(3, false);
    assertTrue(several.contains("one of these kernels: first, second, first; with -D"), several);
    assertTrue(fault(9, false).contains("kernels: 5 others, second, first"));
    System.setProperty(CudaDevice.WAIT, "true");
    assertTrue(fault(3, true).endsWith("in kernel second"));
    System.clearProperty(CudaDevice.WAIT);
  }

  private String fault(int launches, boolean second) {
    var device = CudaDevice.open(OptionalInt.of(0)); // not closed: it is lost
    var module = device.load(KERNELS, List.of());
    var kernels = List.of(module.kernel("first"), module.kernel("second"));
    long a = device.allocate(4);
    device.copyIn(a, MemorySegment.ofArray(new int[1]));
    device.synchronize();
    if (!second) {
      fail(700);
    }
    var bug =
        assertThrows(
            CompilerBug.class,
            () -> {
              for (int k = 0; k < launches; k++) {
                if (second && k == 1) {
                  fail(700);
                }
                device.launch(kernels.get(k % 2), 1, 1, 0, a);
              }
              device.synchronize();
            });
    assertTrue(bug.getMessage().contains("invalid address"), bug.getMessage());
    // the device answers nothing after that, and says why
    for (Runnable use : Arrays.<Runnable>asList(() -> device.allocate(10), device::synchronize)) {
      var user = assertThrows(UserError.class, use::run);
      assertEquals(K5101, user.diagnostics().getFirst().code());
      assertTrue(user.getMessage().contains("invalid address"), user.getMessage());
    }
    device.free(a); // nothing to be said any more
    module.unload();
    device.close();
    reset();
    return bug.getMessage();
  }

  private void fail(int status) {
    driver.invoke("testFailure", FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT), status);
  }

  /** As if the process had ended. */
  private void reset() {
    driver.invoke("testReset", FunctionDescriptor.ofVoid());
  }

  private void failing(String function, int status, int after) {
    try (var arena = Arena.ofConfined()) {
      var type =
          FunctionDescriptor.ofVoid(
              ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
      driver.invoke("testFailing", type, arena.allocateFrom(function), status, after);
    }
  }
}
