package dev.kenaz.jvm;

/**
 * Tells the Vector API to leave out its bounds checks. Vector code accesses {@link
 * NativeMemory#ALL}, in which all addresses are, so they never find anything there; but they are a
 * third of the instructions of an inner loop. {@link CheckedMemory} has checks that do.
 *
 * <p>The Vector API reads its property once, when it is first used, and for the whole process. So
 * only processes that run Kenaz's commands, and drivers and executors of Spark with programs of
 * Kenaz, do without the checks. A Java program that embeds Kenaz may have vector code of its own,
 * and decides by itself.
 */
public final class VectorChecks {
  private static final String PROPERTY = "jdk.incubator.vector.VECTOR_ACCESS_OOB_CHECK";

  private VectorChecks() {}

  /** Leaves the checks out, unless the user has decided about them by the property. */
  public static void leaveOut() {
    System.getProperties().putIfAbsent(PROPERTY, "0");
  }
}
