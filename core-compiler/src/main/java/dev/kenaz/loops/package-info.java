/**
 * Seg IR to loop IR.
 *
 * <p>{@link dev.kenaz.loops.Lowering} is the translation. Array views (slices, transposes, iotas,
 * replicates) exist only while it runs, as index functions: {@link dev.kenaz.loops.ArrayVal}.
 *
 * <p>Memory: every place in the program that makes an array has one slot, reused whenever that
 * place runs again and freed at the end of the function or task. A loop-carried array exchanges
 * slots with the place that made its next value, so nothing is copied and nothing piles up.
 */
package dev.kenaz.loops;
