package dev.kenaz.dataset;

import dev.kenaz.arrow.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * What is done with rows between the formats, in this order, whatever the order in which the user
 * asks for it.
 *
 * @param changes what comes first, one after the other
 * @param groups columns that become lists
 * @param columns the columns that are wanted at the end; empty for all. Who names a column that is
 *     grouped means its list
 * @param names new names of columns by those that they have then
 */
public record RowPlan(
    List<Stage> changes, GroupedColumns groups, List<String> columns, Map<String, String> names) {

  /** Makes rows of rows; it may read all of them before. */
  @FunctionalInterface
  public interface Stage {
    RowSource apply(RowSource source);

    /** Returns what changes each batch on its own. */
    static Stage of(RowChange change) {
      return source -> new ChangedSource(source, change);
    }
  }

  /** Opens a source. */
  @FunctionalInterface
  public interface Opening {
    /**
     * @param columns the columns that are wanted, in this order; empty for all
     */
    RowSource open(List<String> columns);
  }

  public RowPlan {
    changes = List.copyOf(changes);
    columns = List.copyOf(columns);
    Faults.requireDistinct(columns);
    names = Map.copyOf(names);
  }

  /**
   * Returns the rows as they come out.
   *
   * @param whole whether the changes may need columns that aren't wanted at the end
   */
  public RowSource of(Opening opening, boolean whole) {
    boolean some = !columns.isEmpty();
    // Columns that nobody wants may be of types that can't be read.
    var source = opening.open(whole || !groups.groups().isEmpty() ? List.of() : columns);
    if (some && !whole && !groups.groups().isEmpty()) {
      var known = source.schema().getFields().stream().map(Field::getName).toList();
      source = opening.open(groups.withMembers(columns, known));
    }
    for (var change : changes) {
      source = change.apply(source);
    }
    var before = source.schema().getFields().stream().map(Field::getName).toList();
    if (!groups.groups().isEmpty()) {
      source = new ChangedSource(source, groups);
    }
    var wanted = new ArrayList<String>();
    for (var c : columns) {
      var name = groups.listOf(c, before);
      if (!wanted.contains(name)) {
        wanted.add(name);
      }
    }
    return some || !names.isEmpty()
        ? new ChangedSource(source, new ChosenColumns(wanted, names))
        : source;
  }
}
