/**
 * Surface tree to typed tree: names and modules resolved, types and sizes inferred, uniqueness
 * checked.
 *
 * <p>{@link dev.kenaz.typing.Checker} is the way in, {@link dev.kenaz.typing.TypedProgram} what
 * comes out. Modules are gone by then: a parametric module is checked once in general, and its body
 * elaborated anew, under new names, at each application.
 */
package dev.kenaz.typing;
