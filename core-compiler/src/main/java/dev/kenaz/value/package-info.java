/**
 * Values: primitive scalars and regular arrays over memory segments, their comparison, and the text
 * and binary formats that Futhark's tools read and write.
 *
 * <p>Knows nothing of programs, types with sizes, or where data comes from. Arrays are contiguous,
 * row-major and little-endian, so that a mapped file, an Arrow buffer or pinned memory is a value
 * without a copy.
 */
package dev.kenaz.value;
