/**
 * This package makes a plan for a dataset in pieces from a core program over whole arrays.
 *
 * <p>The caller says which parameters are datasets. {@link dev.kenaz.distribute.Planner} follows
 * their rows through the program, and labels every array as <i>replicated</i>, <i>sharded</i> along
 * a dimension, or <i>partial</i> under an operator ({@link dev.kenaz.distribute.Label}). It divides
 * the program into a {@link dev.kenaz.distribute.Plan}, which consists of stages, exchanges of rows
 * between pieces, and the replicated rest, including loops. A stage is a local program for one
 * piece and an operator that combines the results of the pieces. The engine that has the pieces
 * implements {@link dev.kenaz.distribute.StageExecutor}; this package knows no engine.
 */
package dev.kenaz.distribute;
