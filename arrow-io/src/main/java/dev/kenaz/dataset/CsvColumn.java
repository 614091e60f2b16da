package dev.kenaz.dataset;

/**
 * A column that is read of text files.
 *
 * @param index its place among the fields of a line, from 0
 * @param guessed whether its type is that of the first lines, which a later one may contradict
 */
record CsvColumn(String name, int index, CsvType type, boolean guessed) {}
