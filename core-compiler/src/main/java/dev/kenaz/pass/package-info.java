/** What a compiler pass is: a named function from program to program. */
package dev.kenaz.pass;
