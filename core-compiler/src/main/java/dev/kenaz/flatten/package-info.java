/**
 * Decides what runs in parallel, from core IR to seg IR.
 *
 * <p>{@link dev.kenaz.flatten.Flatten} turns the outermost parallel operators into {@link
 * dev.kenaz.segir.SegOp}s over regular index spaces; perfect nests of maps become one space. What
 * is parallel inside the body of a seg-op is sequential there. Calls are gone afterwards.
 */
package dev.kenaz.flatten;
