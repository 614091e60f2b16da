package dev.kenaz.spark;

import org.netlib.lapack.Dlamch;
import org.netlib.lapack.Slamch;

/**
 * The constants of the machine in the LAPACK that MLlib uses.
 *
 * <p>That library, which was translated from Fortran, finds the rounding unit and its like at the
 * first call that needs them and keeps them in static fields. If two threads make that call at the
 * same time, the constants can be wrong for as long as the process lives: decompositions then never
 * converge or never end. Two tasks of MLlib that score with a Gaussian mixture do that, and so do
 * those of {@code dev.kenaz.ml.clustering.GaussianMixture}, because its model is MLlib's. When this
 * class has found the constants, it can't happen any more.
 */
public final class LapackConstants {
  static {
    try {
      Dlamch.dlamch("E");
      Slamch.slamch("E");
    } catch (NoClassDefFoundError e) {
      // There is no MLlib in this process, thus nothing that reads the constants.
    }
  }

  private LapackConstants() {}

  /** Makes sure that the constants have been found, by one thread. */
  public static void find() {
    // The initializer of the class, which Java runs once, has done it.
  }
}
