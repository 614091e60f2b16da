package dev.kenaz.cuda.runtime;

import static dev.kenaz.error.ErrorCode.K7601;
import static dev.kenaz.error.ErrorCode.K7602;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.options.CompileOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The probe reports whatever is wrong, and never fails. */
final class DriverProbeTest {
  @TempDir private Path folder;

  private static DriverReport probe(Path library) {
    var before = System.getProperty(DriverProbe.LIBRARY);
    System.setProperty(DriverProbe.LIBRARY, library.toString());
    try {
      return DriverProbe.probe();
    } finally {
      if (before == null) {
        System.clearProperty(DriverProbe.LIBRARY);
      } else {
        System.setProperty(DriverProbe.LIBRARY, before);
      }
    }
  }

  @Test
  void noDriver() {
    var report = probe(folder.resolve("libcuda.so.1"));
    assertFalse(report.usable());
    assertTrue(report.problem().contains("can't be loaded"), report.problem());
  }

  @Test
  void garbageInsteadOfDriver() throws IOException {
    var file = Files.writeString(folder.resolve("libcuda.so.1"), "this is no library");
    var report = probe(file);
    assertFalse(report.usable());
    assertTrue(report.problem().contains("can't be loaded"), report.problem());
  }

  @Test
  void libraryOfSomethingElse() throws IOException {
    FakeCuda.assumeCompiler();
    var report = probe(FakeCuda.nvrtc(folder));
    assertTrue(report.problem().contains("has no function cuInit"), report.problem());
  }

  @Test
  void driverWithoutDevice() throws IOException {
    FakeCuda.assumeCompiler();
    var report = probe(FakeCuda.driver(folder, "libnone.so", "-DINIT=100"));
    assertEquals("the CUDA driver sees no device", report.problem());
    assertTrue(report.hint().contains("CUDA_VISIBLE_DEVICES"), report.hint());
    assertEquals("13.0", report.versionText());
    report = probe(FakeCuda.driver(folder, "libzero.so", "-DCOUNT=0"));
    assertEquals("the CUDA driver sees no device", report.problem());
  }

  @Test
  void driverThatDoesNotStart() throws IOException {
    FakeCuda.assumeCompiler();
    var report = probe(FakeCuda.driver(folder, "libmismatch.so", "-DINIT=803"));
    assertTrue(report.problem().contains("different versions"), report.problem());
    assertTrue(probe(FakeCuda.driver(folder, "libstub.so", "-DINIT=34")).hint().contains("stub"));
  }

  @Test
  void driverThatIsTooOld() throws IOException {
    FakeCuda.assumeCompiler();
    var report = probe(FakeCuda.driver(folder, "libold.so", "-DVERSION=11040"));
    assertEquals("the driver is one of CUDA 11.4", report.problem());
  }

  @Test
  void computeModes() throws IOException {
    FakeCuda.assumeCompiler();
    var prohibited = probe(FakeCuda.driver(folder, "libprohibited.so", "-DMODE=2"));
    assertFault(K7601, prohibited, OptionalInt.empty(), "prohibited");
    var alone = probe(FakeCuda.driver(folder, "libalone.so", "-DMODE=3"));
    assertEquals(DeviceInfo.Mode.EXCLUSIVE, alone.devices().getFirst().mode());
    assertEquals(0, CudaDevice.choose(alone, OptionalInt.empty()).index());
  }

  @Test
  void devices() throws IOException {
    FakeCuda.assumeCompiler();
    var report = probe(FakeCuda.driver(folder, "libtwo.so", "-DCOUNT=2"));
    assertEquals("", report.problem());
    assertTrue(report.usable());
    assertEquals(
        new DeviceInfo(
            0,
            "processor 0",
            9,
            0,
            1L << 31,
            132,
            232448,
            DeviceInfo.Mode.SHARED,
            "00010203-0405-0607-0809-0a0b0c0d0e0f",
            "0000:02:00.0"),
        report.devices().get(0));
    assertEquals(90, report.devices().get(0).capability());
    // the second one is too old
    assertTrue(report.devices().get(1).problem().contains("below 7.0"));
    assertEquals(0, CudaDevice.choose(report, OptionalInt.empty()).index());
    assertEquals(0, CudaDevice.choose(report, OptionalInt.of(0)).index());
    assertFault(K7601, report, OptionalInt.of(1), "compute capability");
    assertFault(K7602, report, OptionalInt.of(2), "there is no device 2");
    assertFault(K7602, report, OptionalInt.of(-1), "there is no device -1");
  }

  /** What a scheduler of a cluster calls a device: not what the driver calls it. */
  @Test
  void addresses() throws IOException {
    FakeCuda.assumeCompiler();
    var report = probe(FakeCuda.driver(folder, "libthree.so", "-DCOUNT=3"));
    assertEquals(2, report.find("0"), "the first on the bus is the driver's last");
    assertEquals(0, report.find("2"));
    assertEquals(1, report.find("GPU-10111213-1415-1617-1819-1A1B1C1D1E1F"));
    for (var none : List.of("3", "-1", "", "99999999999", "GPU-1", "MIG-1", "0000:01:00.0")) {
      var e = assertThrows(UserError.class, () -> report.find(none), none);
      assertEquals(K7602, e.diagnostics().getFirst().code());
      assertTrue(e.getMessage().contains("processor 2 20212223-"), e.getMessage());
    }
    assertEquals(
        CompileOptions.ANY_DEVICE, DriverReport.failed("", 0, "no driver", "").find("GPU-1"));
  }

  /** Of a divided device, a process sees the instance that was named before the driver started. */
  @Test
  void instancesOfADividedDevice() throws IOException {
    FakeCuda.assumeCompiler();
    var driver = FakeCuda.driver(folder, "libdivided.so");
    var command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-D" + DriverProbe.LIBRARY + "=" + driver,
            "-cp",
            System.getProperty("java.class.path"),
            Instance.class.getName());
    assertEquals("0 there is no device MIG-x", FakeCuda.run(command).strip());
  }

  /** What {@link #instancesOfADividedDevice} runs. */
  static final class Instance {
    private Instance() {}

    public static void main(String[] args) {
      var mine = "MIG-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9";
      System.out.print(DriverProbe.report(mine).find(mine) + " ");
      try {
        DriverProbe.report("MIG-x").find("MIG-x");
      } catch (UserError e) {
        System.out.println(e.diagnostics().getFirst().message().split(";")[0]);
      }
    }
  }

  /** What is missing, and where to read more; never another backend instead. */
  @Test
  void noDeviceIsAnErrorThatSaysWhatIsMissing() {
    var none = DriverReport.failed("", 0, "no CUDA driver", "install one");
    assertFault(K7601, none, OptionalInt.empty(), "no CUDA driver");
    var old =
        new DriverReport(
            "libcuda",
            13000,
            List.of(new DeviceInfo(0, "old", 3, 5, 1, 1, 1, DeviceInfo.Mode.SHARED, "", "")),
            "",
            "");
    assertFault(K7601, old, OptionalInt.empty(), "compute capability 3.5");
  }

  private static void assertFault(
      ErrorCode code, DriverReport report, OptionalInt index, String message) {
    var e = assertThrows(UserError.class, () -> CudaDevice.choose(report, index));
    var fault = e.diagnostics().getFirst();
    assertEquals(code, fault.code());
    assertTrue(fault.message().contains(message), fault.message());
    assertTrue(fault.hints().toString().contains("kenaz gpu"), fault.hints().toString());
  }
}
