package dev.kenaz.cuda.runtime;

/**
 * These are the facts about a CUDA device.
 *
 * @param index the device's number as the driver counts, which considers CUDA_VISIBLE_DEVICES
 * @param major the major number of the compute capability
 * @param minor the minor number of the compute capability
 * @param memory how many bytes of memory the device has
 * @param multiprocessors how many multiprocessors the device has
 * @param sharedPerBlock how many bytes of shared memory a block may ask for
 * @param mode how many processes may use it
 * @param uuid the identity of the device, or of its MIG instance, without a prefix; "" if the
 *     driver doesn't tell
 * @param bus the device's place on the PCI bus; "" if the driver doesn't tell
 */
public record DeviceInfo(
    int index,
    String name,
    int major,
    int minor,
    long memory,
    int multiprocessors,
    int sharedPerBlock,
    Mode mode,
    String uuid,
    String bus) {
  /** How many processes an administrator allows to use a device. */
  public enum Mode {
    /** Any number of processes may use the device. */
    SHARED,
    /** One process at a time may use the device. */
    EXCLUSIVE,
    /** No process may use the device. */
    PROHIBITED;

    /** Returns the mode that the driver's number means. */
    static Mode of(int number) {
      return switch (number) {
        case 1, 3 -> EXCLUSIVE;
        case 2 -> PROHIBITED;
        default -> SHARED;
      };
    }
  }

  /** The lowest compute capability that the generated kernels run on. */
  static final int OLDEST = 70;

  /** The compute capability as one number: 90 for 9.0. */
  public int capability() {
    return 10 * major + minor;
  }

  /** Says why the device can't be used; the empty string if it can. */
  public String problem() {
    if (capability() < OLDEST) {
      return "its compute capability " + major + "." + minor + " is below " + OLDEST / 10 + ".0";
    }
    return mode == Mode.PROHIBITED
        ? "its compute mode is \"prohibited\"; nvidia-smi -c 0 changes that"
        : "";
  }
}
