/**
 * This package translates the surface tree to the typed tree: it resolves names and modules, infers
 * types and sizes, and checks uniqueness.
 *
 * <p>{@link dev.kenaz.typing.Checker} is the entry to the package, and {@link
 * dev.kenaz.typing.TypedProgram} is its result, which has no modules any more. The checker checks a
 * parametric module once in general, and elaborates the body again, under new names, at each
 * application.
 */
package dev.kenaz.typing;
