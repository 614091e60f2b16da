package dev.kenaz.jvm;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whether this JVM has the Vector API, a module in incubation, which a JVM has only if it is
 * told so. This class mentions no class of that module: {@link Vectors} may only be loaded where
 * this is true.
 */
final class VectorModule {
  private static final Logger LOG = LoggerFactory.getLogger(VectorModule.class);
  private static final String NAME = "jdk.incubator.vector";

  /** The answer is found out, and logged, once. */
  private static final boolean PRESENT = find();

  private VectorModule() {}

  private static boolean find() {
    boolean present = ModuleLayer.boot().findModule(NAME).isPresent();
    if (!present) {
      LOG.warn(
          "Java was started without --add-modules={}: programs run on scalar code, which is slower",
          NAME);
    }
    return present;
  }

  /** Whether this JVM has vectors. */
  static boolean present() {
    return PRESENT;
  }

  /** Returns the options, with scalar code if vectors are not possible. */
  static JvmOptions possible(JvmOptions options) {
    return options.vectors() == JvmOptions.Vectors.ON && !PRESENT
        ? options.withVectors(JvmOptions.Vectors.OFF)
        : options;
  }
}
