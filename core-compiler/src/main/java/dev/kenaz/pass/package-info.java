/**
 * This package defines what a compiler pass is: a function from program to program that has a name.
 */
package dev.kenaz.pass;
