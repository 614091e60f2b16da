/**
 * This package defines seg IR, the form in which the parallelism of a program is decided.
 *
 * <p>A {@link dev.kenaz.segir.SegOp} is a parallel operator over a regular index space, with
 * sequential code at each point; a point that stands for a block of elements may have operators of
 * its own, which one thread runs. The control flow around these operators is {@link
 * dev.kenaz.segir.SegExp}. Everything else is core IR.
 */
package dev.kenaz.segir;
