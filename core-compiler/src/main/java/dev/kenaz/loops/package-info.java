/**
 * This package translates seg IR to loop IR.
 *
 * <p>{@link dev.kenaz.loops.Lowering} is the translation. Views of arrays (slices, transposes,
 * iotas, replicates) exist only while it runs, as index functions: {@link
 * dev.kenaz.loops.ArrayVal}.
 *
 * <p>Every place in the program that makes an array has one slot in memory. The slot is used again
 * whenever that place runs again, and freed at the end of the function or task. An array that a
 * loop carries exchanges slots with the place that made its next value, so nothing is copied and
 * memory does not grow.
 */
package dev.kenaz.loops;
