/**
 * Makes a program smaller and faster, from core to core. It runs between all other passes.
 *
 * <p>{@link dev.kenaz.simplify.Simplify} is the list of passes and the driver that repeats them
 * until nothing changes. One forward walk ({@code Simplifier}) does copy propagation, constant
 * folding, algebraic rules, common subexpressions, folding of indices into what made the array,
 * removal of bounds checks, and hoisting; one backward walk ({@code DeadCode}) removes what nothing
 * uses.
 *
 * <p>Float arithmetic keeps its meaning to the last bit, with one exception: adding a literal zero
 * is dropped, which may keep a zero's sign that the addition would have lost. Integer arithmetic
 * wraps, and rules keep that. A computation whose results nothing uses is removed even if it could
 * have failed; an {@link dev.kenaz.ir.Exp.Assert} never is.
 */
package dev.kenaz.simplify;
