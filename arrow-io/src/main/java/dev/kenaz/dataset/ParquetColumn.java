package dev.kenaz.dataset;

import org.apache.arrow.vector.FieldVector;

/** Reads a column of one row group of a Parquet file, some rows at a time. */
interface ParquetColumn {

  /** Fills a vector with the next rows. */
  void read(FieldVector into, int rows);
}
