/**
 * This package moves rows between formats of data files: a reader for each format gives them as a
 * stream of Arrow batches, transformations take one stream and give another, and a writer for each
 * format takes them. Memory is bounded by a few batches, whatever the size of the files. Columns of
 * all of Arrow's types pass, also those that Kenaz can't compute with.
 */
package dev.kenaz.dataset;
