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
 */
public record DeviceInfo(
    int index,
    String name,
    int major,
    int minor,
    long memory,
    int multiprocessors,
    int sharedPerBlock) {
  /** The oldest compute capability that the generated kernels run on. */
  static final int OLDEST = 70;

  /** The compute capability as one number: 90 for 9.0. */
  public int capability() {
    return 10 * major + minor;
  }

  /** Why it can't be used, or the empty string. */
  public String problem() {
    return capability() >= OLDEST
        ? ""
        : "its compute capability " + major + "." + minor + " is below " + OLDEST / 10 + ".0";
  }
}
