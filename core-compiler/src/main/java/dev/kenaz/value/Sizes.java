package dev.kenaz.value;

import static dev.kenaz.error.ErrorCode.K5006;

import dev.kenaz.error.UserError;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * Multiplies sizes to numbers of elements, and of bytes. A product that no memory can hold is never
 * taken for a small one, with which elements would be written outside of their array.
 */
public final class Sizes {
  /**
   * Stands for every product that is at least as large. No memory holds so many bytes, and sums of
   * several such numbers don't wrap around.
   */
  public static final long TOO_LARGE = 1L << 56;

  /** How many bits {@link #LONGEST} has. */
  public static final int LONGEST_BITS = 52;

  /**
   * The most elements of an array along one dimension. No memory holds so many; an array that is
   * never in memory, such as the numbers up to this one, would take years to go through. Sums and
   * small multiples of indices don't wrap around then.
   */
  public static final long LONGEST = (1L << LONGEST_BITS) - 1;

  private Sizes() {}

  /**
   * Returns the product of two sizes; {@link #TOO_LARGE} if it is so large, or if a factor is no
   * size.
   */
  public static long times(long x, long y) {
    long product = x * y;
    boolean exact = (x | y | product) >= 0 && Math.multiplyHigh(x, y) == 0;
    return exact && product < TOO_LARGE ? product : TOO_LARGE;
  }

  /** Returns the product of all sizes, or {@link #TOO_LARGE}. */
  public static long product(long... sizes) {
    long product = 1;
    for (long size : sizes) {
      product = times(product, size);
    }
    return product;
  }

  /** Returns the error (K5006) which says that no memory can hold an array of this shape. */
  public static UserError tooLarge(long... shape) {
    return tooLarge(
        "an array of shape " + Arrays.toString(shape),
        "use smaller inputs, or fewer and smaller intermediate arrays");
  }

  /**
   * Returns the error (K5006) for an allocation of so many bytes, which may be more than any memory
   * has.
   *
   * @param otherwise makes the error for fewer bytes
   */
  public static UserError outOfMemory(long bytes, Supplier<UserError> otherwise) {
    return bytes < 0 || bytes >= TOO_LARGE
        ? tooLarge("an array has a negative size, or", "look at how its sizes are computed")
        : otherwise.get();
  }

  private static UserError tooLarge(String what, String hint) {
    return new UserError(K5006, what + " is larger than any memory", hint);
  }
}
