/**
 * This package reads expressions and definitions from a user, evaluates the expressions, and keeps
 * the definitions.
 */
package dev.kenaz.jobs.tools.repl;
