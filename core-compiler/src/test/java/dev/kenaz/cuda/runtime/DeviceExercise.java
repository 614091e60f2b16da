package dev.kenaz.cuda.runtime;

import static dev.kenaz.error.ErrorCode.K5006;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.cache.CacheFolder;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What {@link CudaDeviceTest} runs in a process of its own. */
final class DeviceExercise {
  /** In the substitute driver's way: a launcher a kernel. */
  private static final String KERNELS =
      """
      extern "C" { unsigned char scale__parameters[] = {8, 8, 1, 8, 0}; unsigned scale__shared = 1000; }
      extern "C" void scale__launch(unsigned grid, unsigned block, unsigned shared, void **p) {
        int *xs = *(int **)p[0];
        long long n = *(long long *)p[1];
        signed char by = *(signed char *)p[2];
        double offset = *(double *)p[3];
        for (long long i = 0; i < grid * (long long)block && i < n; i++)
          xs[i] = xs[i] * by + (int)offset + (int)shared;
      }
      """;

  private final ForeignLibrary driver;

  private DeviceExercise(Path driver) {
    this.driver = ForeignLibrary.load(driver);
  }

  public static void main(String[] args) throws Exception {
    var exercise = new DeviceExercise(Path.of(args[0]));
    leaveRubbishWhereJcudaLooks();
    try (var device = CudaDevice.open(OptionalInt.empty())) {
      exercise.copies(device);
      exercise.launches(device);
      times(device);
      refusesText(device);
      exercise.runsOutOfMemory(device);
    }
    exercise.left(0);
    cachesKernels();
    new CallsExercise(exercise.driver).run();
    exercise.severalDevices();
    System.out.println("all is well");
  }

  /** A truncated library of an earlier start must not matter. */
  private static void leaveRubbishWhereJcudaLooks() throws IOException {
    var trap = Files.createTempDirectory("trap");
    Files.writeString(trap.resolve("libJCudaDriver-12.6.0-linux-x86_64.so"), "cut off");
    System.setProperty("java.io.tmpdir", trap.toString());
    var folder = JcudaNatives.extract();
    var library = folder.resolve("libJCudaDriver-12.6.0-linux-x86_64.so");
    Files.writeString(library, "cut off");
    JcudaNatives.extract();
    assertTrue(Files.size(library) > 1_000_000);
  }

  private void copies(CudaDevice device) {
    for (int n : new int[] {0, 1, 1000, 4 << 20, (4 << 20) + 1, 13_000_001}) {
      var bytes = new byte[n];
      for (int i = 0; i < n; i++) {
        bytes[i] = (byte) (i * 31 + i / 1000);
      }
      long a = device.allocate(n);
      long b = device.allocate(n);
      var before = Transfers.ofThread();
      device.copyIn(a, MemorySegment.ofArray(bytes));
      device.copy(b, a, n);
      var back = new byte[n];
      device.copyOut(MemorySegment.ofArray(back), b);
      assertEquals(new Transfers(n, n), Transfers.ofThread().since(before));
      assertTrue(Arrays.equals(bytes, back), n + " bytes");
      device.fill(b, (byte) 7, n);
      try (var arena = Arena.ofConfined()) {
        var out = arena.allocate(Math.max(1, n)).asSlice(0, n);
        device.copyOut(out, b);
        for (int i = 0; i < n; i += 997) {
          assertEquals(7, out.get(ValueLayout.JAVA_BYTE, i));
        }
      }
      device.free(a);
      device.free(b);
    }
    assertEquals(0, device.memoryUse()[0]);
  }

  private void launches(CudaDevice device) {
    var module = device.load(KERNELS, List.of("--std=c++17"));
    var kernel = module.kernel("scale");
    long xs = device.allocate(40);
    device.copyIn(xs, MemorySegment.ofArray(new int[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    long offset = Double.doubleToRawLongBits(100);
    device.launch(kernel, 2, 4, 60_000, xs, 10, -1, offset);
    device.launch(kernel, 0, 4, 0, xs, 10, -1, offset); // no blocks
    device.synchronize();
    var out = new int[10];
    device.copyOut(MemorySegment.ofArray(out), xs);
    assertEquals(
        "[60100, 60099, 60098, 60097, 60096, 60095, 60094, 60093, 8, 9]", Arrays.toString(out));
    // together with what the text asks for these are more than a kernel has by itself
    device.launch(kernel, 1, 4, 48 << 10, xs, 1, 0, Double.doubleToRawLongBits(0));
    device.copyOut(MemorySegment.ofArray(out), xs);
    assertEquals(48 << 10, out[0]);
    assertThrows(CompilerBug.class, () -> device.launch(kernel, 1, 4, 232_000, xs, 1, 1, offset));
    assertThrows(CompilerBug.class, () -> device.launch(kernel, 1, 2000, 0, xs, 10, 1, offset));
    assertThrows(CompilerBug.class, () -> module.kernel("nosuch"));
    device.free(xs);
    module.unload();
  }

  /** For the substitute driver each launch takes a millisecond. */
  private static void times(CudaDevice device) {
    var module = device.load(KERNELS, List.of("--std=c++17"));
    var kernel = module.kernel("scale", "the kernel");
    long xs = device.allocate(40);
    int launches = 5000; // more than may be under way at a time
    KernelTimes.start();
    for (int i = 0; i < launches; i++) {
      device.launch(kernel, 1, 4, 0, xs, 4, 1, 0);
    }
    var times = KernelTimes.stop();
    device.launch(kernel, 1, 4, 0, xs, 4, 1, 0);
    assertEquals(List.of(), KernelTimes.stop());
    assertEquals(1, times.size());
    assertEquals("the kernel", times.getFirst().kernel());
    assertEquals(launches, times.getFirst().launches());
    assertEquals(launches / 1e3, times.getFirst().seconds(), 1e-3);
    device.free(xs);
    module.unload();
  }

  /** Each with its own context, from many threads; what happens to one leaves the other alone. */
  private void severalDevices() throws Exception {
    try (var a = CudaDevice.open(OptionalInt.of(0));
        var b = CudaDevice.open(OptionalInt.of(2));
        var threads = Executors.newFixedThreadPool(8)) {
      var work = new ArrayList<Future<?>>();
      for (int i = 0; i < 64; i++) {
        var device = i % 2 == 0 ? a : b;
        work.add(threads.submit(() -> launches(device)));
      }
      for (var w : work) {
        w.get();
      }
      fail(700);
      a.free(a.allocate(10));
      b.fill(b.allocate(10), (byte) 0, 10);
      assertThrows(CompilerBug.class, b::synchronize);
      assertThrows(UserError.class, b::synchronize);
      launches(a);
    }
  }

  private static void refusesText(CudaDevice device) {
    var e = assertThrows(CompilerBug.class, () -> device.load("int main( {", List.of()));
    assertTrue(e.getMessage().contains("error:"), e.getMessage());
  }

  private void runsOutOfMemory(CudaDevice device) {
    long kept = device.memoryUse()[1];
    assertTrue(kept > 0);
    driver.invoke("testLimit", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG), kept + (1 << 20));
    long a = device.allocate(kept); // only without what is kept
    assertEquals(0, device.memoryUse()[1]);
    var e = assertThrows(UserError.class, () -> device.allocate(2 * kept));
    assertEquals(K5006, e.diagnostics().getFirst().code());
    assertTrue(e.getMessage().contains("MiB"), e.getMessage());
    device.free(a);
  }

  private static void cachesKernels() throws IOException {
    var folder = CacheFolder.of("kernels");
    List<Path> files;
    try (var found = Files.list(folder)) {
      files = found.toList();
    }
    assertEquals(1, files.size());
    Files.writeString(
        files.getFirst(), "damaged, so that the driver refuses it, and to be replaced");
    try (var device = CudaDevice.open(OptionalInt.of(0))) {
      device.load(KERNELS, List.of("--std=c++17")).kernel("scale");
    }
    assertTrue(Files.size(files.getFirst()) > 1000);
    System.setProperty(CompilerSearch.NVRTC, "/nonexistent");
    try (var device = CudaDevice.open(OptionalInt.of(0))) {
      device.load(KERNELS, List.of("--std=c++17")).kernel("scale");
    }
  }

  private void fail(int status) {
    driver.invoke("testFailure", FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT), status);
  }

  private void left(long bytes) {
    var used = (long) driver.invoke("testUsed", FunctionDescriptor.of(ValueLayout.JAVA_LONG));
    assertEquals(bytes, used);
  }
}
