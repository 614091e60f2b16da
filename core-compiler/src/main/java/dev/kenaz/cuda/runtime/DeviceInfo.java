package dev.kenaz.cuda.runtime;

/**
 * A CUDA device.
 *
 * @param index as the driver numbers them, CUDA_VISIBLE_DEVICES considered
 * @param major of the compute capability
 * @param minor of the compute capability
 * @param memory bytes
 * @param multiprocessors that it has
 * @param sharedPerBlock bytes of shared memory that a block may have, by asking for it
 * @param mode how many processes may use it
 */
public record DeviceInfo(
    int index,
    String name,
    int major,
    int minor,
    long memory,
    int multiprocessors,
    int sharedPerBlock,
    Mode mode) {
  /** What an administrator has set. */
  public enum Mode {
    /** Any number of processes. */
    SHARED,
    /** One process at a time. */
    EXCLUSIVE,
    /** None. */
    PROHIBITED;

    /** From the driver's number. */
    static Mode of(int number) {
      return switch (number) {
        case 1, 3 -> EXCLUSIVE;
        case 2 -> PROHIBITED;
        default -> SHARED;
      };
    }
  }

  /** The oldest compute capability that the generated kernels run on. */
  static final int OLDEST = 70;

  /** The compute capability as one number: 90 for 9.0. */
  public int capability() {
    return 10 * major + minor;
  }

  /** Why it can't be used, or the empty string. */
  public String problem() {
    if (capability() < OLDEST) {
      return "its compute capability " + major + "." + minor + " is below " + OLDEST / 10 + ".0";
    }
    return mode == Mode.PROHIBITED
        ? "its compute mode is \"prohibited\"; nvidia-smi -c 0 changes that"
        : "";
  }
}
