/**
 * The core intermediate representation: first-order, monomorphic, in A-normal form, with tuples and
 * records flattened away. Everything here is immutable.
 *
 * <p>A {@link dev.kenaz.ir.CoreProgram} has functions; a function has a {@link dev.kenaz.ir.Body}:
 * a list of {@link dev.kenaz.ir.Stm statements}, each binding the results of one {@link
 * dev.kenaz.ir.Exp}. Operands are {@link dev.kenaz.ir.Atom}s: constants or variables. A {@link
 * dev.kenaz.ir.Var} is identified by its tag, unique in the program, and carries its type, so a
 * pass needs no symbol table. Array types carry their sizes as atoms: arrays are regular.
 */
package dev.kenaz.ir;
