/**
 * This package holds values: primitive scalars, and regular arrays over memory segments. It
 * compares values, and reads and writes them in the text and binary formats of Futhark's tools.
 *
 * <p>The package knows nothing of programs, of types with sizes, or of where data comes from.
 * Arrays are contiguous, row-major and little-endian, so that a mapped file, an Arrow buffer or
 * pinned memory is a value without a copy.
 */
package dev.kenaz.value;
