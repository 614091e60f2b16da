/**
 * This package converts Arrow columns to values and back. It reads, writes, generates and inspects
 * datasets, which may consist of many Arrow files, and imports CSV and Parquet.
 *
 * <p>Files are mapped, so an uncompressed column of the right type becomes an array without a copy.
 * Each method says who owns the memory: what is read from files belongs to the garbage collector,
 * and what comes from an Arrow vector is borrowed and must not outlive the vector. This package
 * knows no engine.
 */
package dev.kenaz.arrow;
