/**
 * This package defines loop IR, from which every code generator starts: imperative loops over typed
 * registers and raw memory.
 *
 * <p>{@link dev.kenaz.loopir.Code} has the statements and {@link dev.kenaz.loopir.Expr} the pure
 * expressions. A {@link dev.kenaz.loopir.Reg} is a mutable scalar, and a {@link
 * dev.kenaz.loopir.Slot} is a buffer that can grow. {@link dev.kenaz.loopir.GpuCode} has the
 * statements that only kernels contain.
 */
package dev.kenaz.loopir;
