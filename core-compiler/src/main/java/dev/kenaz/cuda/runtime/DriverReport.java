package dev.kenaz.cuda.runtime;

import static dev.kenaz.error.ErrorCode.K7602;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.options.CompileOptions;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * What a search for the CUDA driver has found.
 *
 * @param library the driver's library, or the empty string
 * @param version the newest version of CUDA that the driver supports, as 1000 * major + 10 * minor;
 *     0 if unknown
 * @param devices all devices, those that can't be used too
 * @param problem why there is no device, or the empty string
 * @param hint what to do about the problem
 */
public record DriverReport(
    String library, int version, List<DeviceInfo> devices, String problem, String hint) {
  public DriverReport {
    devices = List.copyOf(devices);
  }

  static DriverReport failed(String library, int version, String problem, String hint) {
    return new DriverReport(library, version, List.of(), problem, hint);
  }

  /** How an address of an instance of a divided device (MIG) begins. */
  static final String MIG = "MIG-";

  private static final String GPU = "GPU-";

  /**
   * Returns the number of a device by its address.
   *
   * @param address {@code GPU-} or {@code MIG-} and a UUID, or a number in the order of the PCI
   *     bus: so {@code nvidia-smi} counts, but the driver counts the fastest first
   * @throws UserError (K7602) if there is no such device, or no way to tell
   */
  public int find(String address) {
    if (!problem.isEmpty()) {
      return CompileOptions.ANY_DEVICE; // Whoever opens it reports the problem.
    }
    if (address.startsWith(GPU) || address.startsWith(MIG)) {
      var uuid = address.substring(GPU.length());
      return devices.stream()
          .filter(d -> d.uuid().equalsIgnoreCase(uuid))
          .findFirst()
          .orElseThrow(() -> none(address))
          .index();
    }
    // Places on the bus are equally long hexadecimal texts. A driver that doesn't tell them leaves
    // its own order.
    var ordered =
        devices.stream()
            .sorted(Comparator.comparing(d -> d.bus().toLowerCase(Locale.ROOT)))
            .toList();
    if (!address.matches("[0-9]{1,6}") || Integer.parseInt(address) >= ordered.size()) {
      throw none(address);
    }
    return ordered.get(Integer.parseInt(address)).index();
  }

  private UserError none(String address) {
    var seen = devices.stream().map(d -> d.name() + " " + d.uuid()).toList();
    return new UserError(
        K7602,
        Span.NONE,
        "there is no device " + address + "; this process sees " + String.join(", ", seen),
        "a process sees what CUDA_VISIBLE_DEVICES says, and one MIG instance at most");
  }

  /** The version as people write it: 13.0. */
  public String versionText() {
    return version / 1000 + "." + version % 1000 / 10;
  }

  /** Whether any device can run generated kernels. */
  public boolean usable() {
    return devices.stream().anyMatch(d -> d.problem().isEmpty());
  }
}
