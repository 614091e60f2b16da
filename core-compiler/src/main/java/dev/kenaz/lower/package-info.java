/**
 * Typed tree to core IR, in one pass, by normalisation by evaluation.
 *
 * <p>{@link dev.kenaz.lower.Evaluator} walks the typed tree as an interpreter would, except that
 * numbers and arrays are not known: they are atoms of the core program that it writes on the way
 * into a {@link dev.kenaz.lower.Scope}. Everything else is known: a function value is a closure
 * ({@link dev.kenaz.lower.Static.Fun}), a record is its fields, a type parameter is a type. So
 * applying functions, specialising them to types, flattening tuples and removing function values
 * are one and the same thing. It ends because the language has neither recursion nor functions that
 * leave a branch, a loop or an array.
 */
package dev.kenaz.lower;
