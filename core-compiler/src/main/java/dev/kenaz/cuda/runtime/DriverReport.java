package dev.kenaz.cuda.runtime;

import java.util.List;

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

  /** The version as people write it: 13.0. */
  public String versionText() {
    return version / 1000 + "." + version % 1000 / 10;
  }

  /** Whether any device can run generated kernels. */
  public boolean usable() {
    return devices.stream().anyMatch(d -> d.problem().isEmpty());
  }
}
