package dev.kenaz.spark.sql;

import org.apache.arrow.vector.FieldVector;
import org.apache.spark.sql.vectorized.ArrowColumnVector;

/**
 * A column whose elements are in a mapped file. Whoever wants to keep them needs no copy: the
 * mapping lives as long as the vector's buffers.
 */
final class MappedVector extends ArrowColumnVector {
  MappedVector(FieldVector vector) {
    super(vector);
  }

  FieldVector vector() {
    return (FieldVector) getValueVector();
  }
}
