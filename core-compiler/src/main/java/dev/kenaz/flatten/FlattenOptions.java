package dev.kenaz.flatten;

/**
 * What a backend wants of flattening.
 *
 * @param nested whether parallelism inside parallel operators is used, by versions where that costs
 *     something; otherwise what is inside is sequential
 * @param products whether matrix products are cut out of maps that do more
 * @param smallWidth inner operators of at most this constant width stay sequential
 * @param fewPoints outer operators of at most this constant number of points are never all the
 *     parallelism of a version
 */
public record FlattenOptions(boolean nested, boolean products, long smallWidth, long fewPoints) {

  /** Options for a few fast cores, for which the outermost operators are enough. */
  public static FlattenOptions jvm() {
    return new FlattenOptions(false, true, 0, 0);
  }

  /** Options for many thousand threads. */
  public static FlattenOptions gpu() {
    return new FlattenOptions(true, false, 16, 256);
  }
}
