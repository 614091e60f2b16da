/** A conversation with a program: expressions are evaluated, definitions kept. */
package dev.kenaz.jobs.tools.repl;
