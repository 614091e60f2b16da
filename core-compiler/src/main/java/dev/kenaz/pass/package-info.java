/**
 * This package defines what a compiler pass is: {@link dev.kenaz.pass.Pass}, a function from
 * program to program that has a name. A {@link dev.kenaz.pass.Pipeline} is a list of passes, and a
 * {@link dev.kenaz.pass.Runner} runs them.
 */
package dev.kenaz.pass;
