/**
 * Seg IR to loop IR: imperative loops over typed registers and raw memory, the common ground of
 * every code generator.
 *
 * <p>{@link dev.kenaz.loops.Code} are statements, {@link dev.kenaz.loops.Expr} pure expressions,
 * {@link dev.kenaz.loops.Reg} mutable scalars, {@link dev.kenaz.loops.Slot} growable buffers. Array
 * views (slices, transposes, iotas, replicates) exist only during the translation, as index
 * functions: {@link dev.kenaz.loops.ArrayVal}. {@link dev.kenaz.loops.Lowering} is the translation.
 *
 * <p>Memory: every place in the program that makes an array has one slot, reused whenever that
 * place runs again and freed at the end of the function or task. A loop-carried array exchanges
 * slots with the place that made its next value, so nothing is copied and nothing piles up.
 */
package dev.kenaz.loops;
