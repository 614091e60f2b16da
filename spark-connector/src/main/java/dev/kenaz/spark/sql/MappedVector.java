package dev.kenaz.spark.sql;

import org.apache.arrow.vector.FieldVector;
import org.apache.spark.sql.vectorized.ArrowColumnVector;

/**
 * A column whose elements are in a mapped file. Whoever wants to keep them needs no copy: the
 * mapping lives as long as the vector's buffers.
 */
final class MappedVector extends ArrowColumnVector {
  private final String version;

  /**
   * @param version a text that is the same for the same batch of a file that didn't change
   */
  MappedVector(FieldVector vector, String version) {
    super(vector);
    this.version = version;
  }

  String version() {
    return version;
  }

  FieldVector vector() {
    return (FieldVector) getValueVector();
  }
}
