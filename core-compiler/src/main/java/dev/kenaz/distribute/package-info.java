/**
 * From a core program over whole arrays to a plan over a dataset in pieces.
 *
 * <p>The caller says which parameters are datasets: {@link dev.kenaz.distribute.Planner} follows
 * their rows through the program by labelling every array <i>replicated</i>, <i>sharded</i> along a
 * dimension, or <i>partial</i> under an operator ({@link dev.kenaz.distribute.Label}), and cuts the
 * program into a {@link dev.kenaz.distribute.Plan}: stages, each a local program for one piece and
 * an operator that combines what the pieces gave, and the replicated rest, loops included. The
 * engine that has the pieces implements {@link dev.kenaz.distribute.StageExecutor}; nothing here
 * knows which engine it is.
 */
package dev.kenaz.distribute;
