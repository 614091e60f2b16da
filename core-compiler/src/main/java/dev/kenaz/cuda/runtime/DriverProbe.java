package dev.kenaz.cuda.runtime;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Looks for the CUDA driver and its devices. It never throws: it reports what is missing or broken.
 * JCuda can't be asked, because any use of it without a driver ends with a link error.
 */
public final class DriverProbe {
  /**
   * The property that names a driver library, in place of the one that the system's loader finds.
   */
  public static final String LIBRARY = "kenaz.cuda.driver";

  private static final String SONAME = "libcuda.so.1";

  /** Folders where containers and unusual systems put the driver without telling the loader. */
  private static final List<String> FOLDERS =
      List.of(
          "/usr/local/nvidia/lib64",
          "/usr/lib/x86_64-linux-gnu",
          "/usr/lib64",
          "/usr/lib/wsl/lib",
          "/run/opengl-driver/lib",
          "/usr/local/cuda/compat");

  /** The oldest version of CUDA whose drivers have what JCuda's binding needs. */
  private static final int OLDEST = 12000;

  private static final String VISIBLE = "CUDA_VISIBLE_DEVICES";

  /** Whether a device was asked for by its address. The driver reads the environment once. */
  private static boolean shown;

  private static final int NO_DEVICE = 100;
  private static final int STUB = 34;

  // These are values of CUdevice_attribute.
  private static final int MULTIPROCESSORS = 16;
  private static final int COMPUTE_MODE = 20;
  private static final int CAPABILITY_MAJOR = 75;
  private static final int CAPABILITY_MINOR = 76;
  private static final int SHARED_OPTIN = 97;

  private DriverProbe() {}

  private static final class Once {
    static final DriverReport REPORT = probe();
  }

  /** Returns what there is. The search is done once. */
  public static DriverReport report() {
    return Once.REPORT;
  }

  /**
   * Returns what there is in a process that was given a device. The driver shows a process at most
   * one MIG instance, the first, unless the environment names another one before the driver starts.
   *
   * @param address the device's address, as {@link DriverReport#find} takes it
   */
  public static synchronized DriverReport report(String address) {
    if (address.startsWith(DriverReport.MIG) && System.getenv(VISIBLE) == null && !shown) {
      ForeignLibrary.setEnvironment(VISIBLE, address);
    }
    shown = true;
    return report();
  }

  /** Searches now, and returns what there is. */
  static DriverReport probe() {
    var os = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
    if (!os.equals("Linux on amd64")) {
      return DriverReport.failed(
          "", 0, "CUDA is supported on Linux on amd64 only, and this is " + os, "");
    }
    var faults = new ArrayList<String>();
    try {
      var library = library(faults);
      return library.isPresent() ? inspect(library.get()) : missing(faults);
    } catch (Throwable e) { // A broken driver may throw anything.
      return DriverReport.failed("", 0, "looking for the CUDA driver failed: " + e, "");
    }
  }

  private static Optional<ForeignLibrary> library(List<String> faults) {
    var named = System.getProperty(LIBRARY);
    if (named != null) {
      return load(Path.of(named), faults);
    }
    try {
      return Optional.of(ForeignLibrary.load(SONAME));
    } catch (Throwable e) {
      var fault = ForeignLibrary.whyNot(SONAME);
      if (!fault.contains(SONAME + ": cannot open shared object file")) {
        faults.add(fault); // There is a driver, but it is broken.
      }
    }
    for (var folder : FOLDERS) {
      var file = Path.of(folder, SONAME);
      if (Files.exists(file)) {
        var found = load(file, faults);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<ForeignLibrary> load(Path file, List<String> faults) {
    try {
      return Optional.of(ForeignLibrary.load(file));
    } catch (Throwable e) {
      faults.add(ForeignLibrary.whyNot(file.toString()));
      return Optional.empty();
    }
  }

  private static DriverReport missing(List<String> faults) {
    return faults.isEmpty()
        ? DriverReport.failed(
            "",
            0,
            "no CUDA driver: " + SONAME + " was not found",
            "install NVIDIA's driver; in a container, start it with access to the GPU")
        : DriverReport.failed(
            "",
            0,
            "the CUDA driver can't be loaded: " + String.join("; ", faults),
            "reinstall NVIDIA's driver");
  }

  private static DriverReport inspect(ForeignLibrary cuda) {
    try (var arena = Arena.ofConfined()) {
      int version = 0;
      var out = arena.allocate(ValueLayout.JAVA_LONG);
      if (cuda.has("cuDriverGetVersion") && cuda.call("cuDriverGetVersion", out) == 0) {
        version = out.get(ValueLayout.JAVA_INT, 0);
      }
      if (version > 0 && version < OLDEST) {
        return DriverReport.failed(
            cuda.name(),
            version,
            "the driver is one of CUDA " + version / 1000 + "." + version % 1000 / 10,
            "a driver of CUDA 12 or newer (525 or newer) is needed");
      }
      int status = cuda.call("cuInit", 0);
      if (status != 0) {
        return DriverReport.failed(
            cuda.name(),
            version,
            status == NO_DEVICE
                ? "the CUDA driver sees no device"
                : "the CUDA driver doesn't start: " + CudaStatus.words(status),
            hint(status));
      }
      status = cuda.call("cuDeviceGetCount", out);
      int count = status == 0 ? out.get(ValueLayout.JAVA_INT, 0) : 0;
      if (count == 0) {
        return DriverReport.failed(
            cuda.name(), version, "the CUDA driver sees no device", hint(NO_DEVICE));
      }
      List<DeviceInfo> devices =
          IntStream.range(0, count).mapToObj(i -> device(cuda, i, arena)).toList();
      return new DriverReport(cuda.name(), version, devices, "", "");
    }
  }

  private static String hint(int status) {
    return switch (status) {
      case NO_DEVICE ->
          "see whether nvidia-smi lists one, and whether CUDA_VISIBLE_DEVICES hides it";
      case STUB -> "the library is the toolkit's stub: put the driver's before it";
      default -> "see what nvidia-smi says";
    };
  }

  private static DeviceInfo device(ForeignLibrary cuda, int index, Arena arena) {
    var handle = arena.allocate(ValueLayout.JAVA_INT);
    check(cuda.call("cuDeviceGet", handle, index));
    int device = handle.get(ValueLayout.JAVA_INT, 0);
    var name = arena.allocate(256);
    check(cuda.call("cuDeviceGetName", name, 255, device));
    var memory = arena.allocate(ValueLayout.JAVA_LONG);
    check(cuda.call("cuDeviceTotalMem_v2", memory, device));
    return new DeviceInfo(
        index,
        name.getString(0),
        attribute(cuda, CAPABILITY_MAJOR, device, handle),
        attribute(cuda, CAPABILITY_MINOR, device, handle),
        memory.get(ValueLayout.JAVA_LONG, 0),
        attribute(cuda, MULTIPROCESSORS, device, handle),
        attribute(cuda, SHARED_OPTIN, device, handle),
        DeviceInfo.Mode.of(attribute(cuda, COMPUTE_MODE, device, handle)),
        uuid(cuda, device, arena),
        bus(cuda, device, arena));
  }

  private static String uuid(ForeignLibrary cuda, int device, Arena arena) {
    var bytes = arena.allocate(16);
    if (!cuda.has("cuDeviceGetUuid_v2") || cuda.call("cuDeviceGetUuid_v2", bytes, device) != 0) {
      return "";
    }
    return HexFormat.of()
        .formatHex(bytes.toArray(ValueLayout.JAVA_BYTE))
        .replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5");
  }

  private static String bus(ForeignLibrary cuda, int device, Arena arena) {
    var name = arena.allocate(32);
    return cuda.has("cuDeviceGetPCIBusId")
            && cuda.call("cuDeviceGetPCIBusId", name, 31, device) == 0
        ? name.getString(0)
        : "";
  }

  private static int attribute(ForeignLibrary cuda, int which, int device, MemorySegment out) {
    check(cuda.call("cuDeviceGetAttribute", out, which, device));
    return out.get(ValueLayout.JAVA_INT, 0);
  }

  private static void check(int status) {
    if (status != 0) {
      throw new IllegalStateException(CudaStatus.words(status));
    }
  }
}
