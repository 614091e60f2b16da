/**
 * This package defines the core intermediate representation. It is first-order, monomorphic and in
 * A-normal form, and has no tuples or records. Everything here is immutable.
 *
 * <p>A {@link dev.kenaz.ir.CoreProgram} has functions. A function has a {@link dev.kenaz.ir.Body},
 * which is a list of {@link dev.kenaz.ir.Stm statements}, each of which binds the results of one
 * {@link dev.kenaz.ir.Exp}. Operands are {@link dev.kenaz.ir.Atom}s, that is, constants or
 * variables. A {@link dev.kenaz.ir.Var} is identified by its tag, which is unique in the program,
 * and carries its type, so a pass needs no symbol table. Array types contain their sizes as atoms,
 * because arrays are regular.
 */
package dev.kenaz.ir;
