/**
 * Seg IR: the program with its parallelism decided.
 *
 * <p>A {@link dev.kenaz.segir.SegOp} is a parallel operator over a regular index space, with
 * sequential code at each point; around these operators stands control flow, {@link
 * dev.kenaz.segir.SegExp}. Everything else is core IR.
 */
package dev.kenaz.segir;
