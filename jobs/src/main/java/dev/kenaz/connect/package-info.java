/**
 * Plugins for the server of Spark Connect, which has neither classes nor objects of its clients:
 * functions of SQL by a command, and the estimators of {@code dev.kenaz.ml} in the place of
 * MLlib's.
 */
package dev.kenaz.connect;
