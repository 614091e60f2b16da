/**
 * This package holds facts about core programs, each of them once: what a pass may rely on, and
 * what it can't know. Nothing here changes a program.
 *
 * <p>Each class says what it promises and in which direction it is sound:
 *
 * <ul>
 *   <li>{@link dev.kenaz.analysis.Effects}: what running an expression does besides computing its
 *       results, and whether it can fail;
 *   <li>{@link dev.kenaz.analysis.Aliases}: which arrays may share memory in some code, statement
 *       by statement, and what the code consumes;
 *   <li>{@link dev.kenaz.analysis.Sharing}: the same for a whole program, regardless of order;
 *   <li>{@link dev.kenaz.analysis.Operators}: which operator the function of a reduction, scan,
 *       histogram or accumulator is;
 *   <li>{@link dev.kenaz.analysis.BackwardSlice}: which statements some values need;
 *   <li>{@link dev.kenaz.analysis.ArrayParts}: which elements of arrays the variables of a nest
 *       are;
 *   <li>{@link dev.kenaz.analysis.UniformArrays}: what all elements of an array are;
 *   <li>{@link dev.kenaz.analysis.Integers}: what statements and comparisons say about integers.
 *       The simplifier and differentiation have a walk each, which notes ranges and facts;
 *   <li>{@link dev.kenaz.analysis.Affine}, {@link dev.kenaz.analysis.Interval} and {@link
 *       dev.kenaz.analysis.Inequalities}: the arithmetic for it;
 *   <li>{@link dev.kenaz.analysis.DisjointSets}: sets that are joined two by two.
 * </ul>
 */
package dev.kenaz.analysis;
