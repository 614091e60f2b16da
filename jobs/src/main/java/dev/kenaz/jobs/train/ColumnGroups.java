package dev.kenaz.jobs.train;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Divides the columns of a square matrix into groups, so that no two columns of a group touch a
 * common row.
 *
 * @param rows the rows that each column touches, its own included; empty if there are too many to
 *     keep, or if groups would save little: then each column is a group
 * @param columns the columns of each group
 */
record ColumnGroups(List<int[]> rows, List<int[]> columns, int size) {
  /** How many entries' places are kept at most, which take 4 MiB. */
  private static final int ENTRIES = 1 << 20;

  /** Returns one group with all columns. */
  static ColumnGroups diagonal(int size) {
    var rows = IntStream.range(0, size).mapToObj(i -> new int[] {i}).toList();
    return new ColumnGroups(rows, List.of(IntStream.range(0, size).toArray()), size);
  }

  private static ColumnGroups alone(int size) {
    return new ColumnGroups(List.of(), List.of(), size);
  }

  static double[] unit(int size, int i) {
    var result = new double[size];
    result[i] = 1;
    return result;
  }

  boolean saves() {
    return !columns.isEmpty();
  }

  int count() {
    return saves() ? columns.size() : size;
  }

  int[] columns(int group) {
    return columns.get(group);
  }

  int[] rows(int column) {
    return rows.get(column);
  }

  /** Returns the sum of the unit vectors of a group. */
  double[] direction(int group) {
    var result = new double[size];
    for (int column : columns.get(group)) {
      result[column] = 1;
    }
    return result;
  }

  /**
   * Returns numbers of both signs, of which none is near zero and no two are alike. So a sum of
   * entries that are weighted by them tells which columns they are from. They are always the same,
   * and they are numbers of f32.
   */
  double[] random() {
    var random = new Random(size);
    var result = new double[size];
    for (int i = 0; i < size; i++) {
      result[i] = (random.nextBoolean() ? 1 : -1) * (0.5f + random.nextFloat());
    }
    return result;
  }

  /** Groups columns by the rows that they touch, now or in an earlier measurement. */
  static final class Measurement {
    private final ColumnGroups before;
    private final List<int[]> rows = new ArrayList<>();
    private int entries;

    Measurement(ColumnGroups before) {
      this.before = before;
    }

    /** Adds the next column. */
    void column(int i, double[] entriesOfColumn) {
      if (!before.saves() || entries > ENTRIES) {
        return;
      }
      var touched = new BitSet(before.size);
      for (int row : before.rows(i)) {
        touched.set(row);
      }
      for (int row = 0; row < entriesOfColumn.length; row++) {
        if (entriesOfColumn[row] != 0) {
          touched.set(row);
        }
      }
      rows.add(touched.stream().toArray());
      entries += touched.cardinality();
    }

    /** Returns the groups. Each column is put into the first group that has none of its rows. */
    ColumnGroups groups() {
      int size = before.size;
      if (!before.saves() || entries > ENTRIES) {
        return alone(size);
      }
      var groupsOfRow = IntStream.range(0, size).mapToObj(_ -> new BitSet()).toList();
      var columns = new ArrayList<List<Integer>>();
      for (int column = 0; column < size; column++) {
        var taken = new BitSet();
        for (int row : rows.get(column)) {
          taken.or(groupsOfRow.get(row));
        }
        int group = taken.nextClearBit(0);
        if (group == columns.size()) {
          columns.add(new ArrayList<>());
        }
        // Together with the direction of the check, half as many groups as columns would save too
        // little.
        if (2 * columns.size() > size) {
          return alone(size);
        }
        columns.get(group).add(column);
        for (int row : rows.get(column)) {
          groupsOfRow.get(row).set(group);
        }
      }
      return new ColumnGroups(
          rows, columns.stream().map(c -> c.stream().mapToInt(i -> i).toArray()).toList(), size);
    }
  }
}
