/**
 * This package makes core programs smaller and faster. Its passes run between all other passes on
 * core programs.
 *
 * <p>{@link dev.kenaz.simplify.Simplify} has the passes, which are repeated until nothing changes.
 * One walk forward ({@code Simplifier}) propagates copies, folds constants, applies algebraic
 * rules, shares common subexpressions, replaces reads of an array by what made the array, removes
 * bounds checks, and hoists code. One walk backward ({@code DeadCode}) removes what nothing uses.
 *
 * <p>Float arithmetic keeps its meaning to the last bit, with one exception: the addition of a
 * literal zero is removed, which may keep the sign of a zero that the addition would have lost.
 * Integer arithmetic wraps around, and the rules respect that. A computation whose results nothing
 * uses is removed even if it could have failed, but an {@link dev.kenaz.ir.Exp.Assert} is never
 * removed.
 */
package dev.kenaz.simplify;
