/**
 * This package has plugins for the server of Spark Connect. Its clients share neither classes nor
 * objects with it, so they make functions of SQL by a command, and name the estimators of {@code
 * dev.kenaz.ml} as they name MLlib's.
 */
package dev.kenaz.connect;
