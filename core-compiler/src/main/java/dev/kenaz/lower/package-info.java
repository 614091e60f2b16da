/**
 * This package translates the typed tree to core IR, in one pass, using normalisation by
 * evaluation.
 *
 * <p>{@link dev.kenaz.lower.Evaluator} walks over the typed tree as an interpreter would. Numbers
 * and arrays, however, are not known: they are atoms of the core program, which the evaluator
 * writes on the way into a {@link dev.kenaz.lower.Scope}. Everything else is known: a function
 * value is a closure ({@link dev.kenaz.lower.Static.Fun}), a record is its fields, and a type
 * parameter is a type. So one mechanism applies functions, specialises them to types, flattens
 * tuples and removes function values.
 *
 * <p>The evaluation terminates for two reasons. No function value leaves a branch, a loop or an
 * array. And a definition that calls itself is lowered separately, once for the types and functions
 * that it is used at: {@link dev.kenaz.lower.Recursive}.
 */
package dev.kenaz.lower;
