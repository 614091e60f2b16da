/**
 * This package holds facts about core programs, each of them once: what a pass may rely on, and
 * what it can't know. Nothing here changes a program.
 *
 * <p>Every fact says in which direction it is sound. {@link dev.kenaz.analysis.Effects}, for
 * example, tells what running an expression does besides computing its results.
 */
package dev.kenaz.analysis;
