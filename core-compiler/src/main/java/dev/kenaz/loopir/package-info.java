/**
 * Loop IR: imperative loops over typed registers and raw memory, the common ground of every code
 * generator.
 *
 * <p>{@link dev.kenaz.loopir.Code} are statements, {@link dev.kenaz.loopir.Expr} pure expressions,
 * {@link dev.kenaz.loopir.Reg} mutable scalars, {@link dev.kenaz.loopir.Slot} growable buffers.
 * {@link dev.kenaz.loopir.GpuCode} is what only kernels have.
 */
package dev.kenaz.loopir;
