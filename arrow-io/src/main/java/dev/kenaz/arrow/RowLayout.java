package dev.kenaz.arrow;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which rows and which elements of lists belong to each other in the arrays of a piece. Where all
 * other datasets are elements of lists that the rows of one dataset have, these rows can be taken
 * by their numbers, with their elements.
 *
 * @param rows the number of the dataset with the rows
 * @param datasets for each array the number of its dataset; if empty, all arrays have the rows
 * @param lengths for each dataset of elements, the array with the lengths of the lists
 */
public record RowLayout(int rows, ArrayList<Integer> datasets, TreeMap<Integer, Integer> lengths)
    implements Serializable {
  /** All arrays have the rows. */
  public static final RowLayout ROWS = new RowLayout(0, List.of(), Map.of());

  public RowLayout(int rows, Collection<Integer> datasets, Map<Integer, Integer> lengths) {
    this(rows, new ArrayList<>(datasets), new TreeMap<>(lengths));
  }

  /**
   * Returns the array with the lengths of the lists whose elements an array has; -1 if the array
   * has the rows.
   */
  public int lengthsOf(int array) {
    int dataset = datasets.isEmpty() ? rows : datasets.get(array);
    if (dataset != rows && !lengths.containsKey(dataset)) {
      throw new IllegalStateException("array " + array + " has rows of its own");
    }
    return dataset == rows ? -1 : lengths.get(dataset);
  }
}
