/**
 * Typed tree to core IR, in one pass, by normalisation by evaluation.
 *
 * <p>{@link dev.kenaz.lower.Evaluator} walks the typed tree as an interpreter would, except that
 * numbers and arrays are not known: they are atoms of the core program that it writes on the way
 * into a {@link dev.kenaz.lower.Scope}. Everything else is known: a function value is a closure
 * ({@link dev.kenaz.lower.Static.Fun}), a record is its fields, a type parameter is a type. So
 * applying functions, specialising them to types, flattening tuples and removing function values
 * are one and the same thing. It ends because no function leaves a branch, a loop or an array, and
 * because a definition that calls itself is lowered by itself, once for the types and functions
 * that it is used at: {@link dev.kenaz.lower.Recursive}.
 */
package dev.kenaz.lower;
