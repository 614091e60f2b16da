package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6104;
import static dev.kenaz.error.ErrorCode.K6105;
import static dev.kenaz.error.ErrorCode.K6106;

import dev.kenaz.arrow.ColumnData;
import dev.kenaz.arrow.ColumnInfo;
import dev.kenaz.arrow.Faults;
import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Makes one column of fixed-size lists of neighbouring columns of numbers. Its elements have the
 * type of the columns; if these have several, it is f64.
 *
 * @param groups what is grouped; no column is in two of them
 */
public record GroupedColumns(List<Group> groups) implements RowChange {

  /**
   * Neighbouring columns of numbers.
   *
   * @param name the name of the list column
   * @param first the name of the first column
   * @param last the name of the last column
   */
  public record Group(String name, String first, String last) {}

  public GroupedColumns {
    groups = List.copyOf(groups);
  }

  /** A column that comes out, which is made of so many neighbouring ones. */
  private record Target(Field field, int first, int count) {
    Optional<Prim> prim() {
      return ColumnInfo.of(field).prim();
    }
  }

  /** Returns the columns that are grouped with one of these, too, in the order of the schema. */
  List<String> withMembers(List<String> wanted, List<String> names) {
    var all = new ArrayList<String>();
    for (var name : wanted) {
      boolean plain = names.contains(name) || groups.stream().noneMatch(g -> g.name().equals(name));
      var group =
          plain
              ? groupOf(names, index(name, names))
              : groups.stream().filter(g -> g.name().equals(name)).findFirst();
      var members =
          group.isEmpty()
              ? List.of(name)
              : names.subList(
                  names.indexOf(group.get().first()), names.indexOf(group.get().last()) + 1);
      members.stream().filter(m -> !all.contains(m)).forEach(all::add);
    }
    return all;
  }

  /** Returns the list that a column is in, or the column itself. */
  String listOf(String column, List<String> names) {
    int i = names.indexOf(column);
    return i < 0 ? column : groupOf(names, i).map(Group::name).orElse(column);
  }

  private Optional<Group> groupOf(List<String> names, int i) {
    Group found = null;
    for (var g : groups) {
      int first = index(g.first(), names);
      int last = index(g.last(), names);
      if (first > last) {
        throw fault(K6104, "\"" + g.first() + "\" comes after \"" + g.last() + "\"");
      }
      if (first <= i && i <= last) {
        if (found != null) {
          throw fault(K6104, "column \"" + names.get(i) + "\" is in two groups");
        }
        found = g;
      }
    }
    return Optional.ofNullable(found);
  }

  private static int index(String name, List<String> names) {
    int i = names.indexOf(name);
    if (i < 0) {
      throw Faults.noColumn("the data", name, names);
    }
    return i;
  }

  private List<Target> targets(Schema in) {
    var names = in.getFields().stream().map(Field::getName).toList();
    var targets = new ArrayList<Target>();
    for (int i = 0; i < names.size(); ) {
      var group = groupOf(names, i);
      if (group.isEmpty()) {
        targets.add(new Target(in.getFields().get(i), i, 0));
        i++;
      } else {
        int count = index(group.get().last(), names) - i + 1;
        var prim = common(in.getFields().subList(i, i + count));
        targets.add(new Target(ColumnInfo.field(group.get().name(), prim, count, true), i, count));
        i += count;
      }
    }
    return targets;
  }

  private static Prim common(List<Field> fields) {
    Prim common = null;
    for (var f : fields) {
      var info = ColumnInfo.of(f);
      if (info.prim().isEmpty() || info.list()) {
        throw fault(
            K6105,
            "column \"%s\" is %s, which can't be an element of a list"
                .formatted(f.getName(), info.shownType()),
            "group columns of numbers");
      }
      var prim = info.prim().get();
      boolean mixed = common != null && common != prim;
      if (mixed && (common == Prim.BOOL || prim == Prim.BOOL)) {
        throw fault(
            K6105,
            "column \"%s\" is %s, and others of its list are %s"
                .formatted(f.getName(), prim, common),
            "give them one type (--cast)");
      }
      common = mixed ? Prim.F64 : prim;
    }
    return common;
  }

  @Override
  public Schema schema(Schema in) {
    return Columns.distinct(
        new Schema(targets(in).stream().map(Target::field).toList(), in.getCustomMetadata()));
  }

  @Override
  public Step begin(Schema in, int part, String name) {
    return new Grouping(in, targets(in), schema(in), name);
  }

  private static final class Grouping implements Step {
    private final List<Field> fields;
    private final List<Target> targets;
    private final Schema schema;
    private final String name;
    private final BufferAllocator memory;
    private final List<FixedSizeListVector> lists = new ArrayList<>();
    private long row;

    Grouping(Schema in, List<Target> targets, Schema schema, String name) {
      this.fields = in.getFields();
      this.targets = targets;
      this.schema = schema;
      this.name = name;
      this.memory = BatchMemory.of(name);
      for (var t : targets) {
        lists.add(t.count() == 0 ? null : (FixedSizeListVector) t.field().createVector(memory));
      }
    }

    @Override
    public VectorSchemaRoot apply(VectorSchemaRoot batch) {
      var vectors = new ArrayList<FieldVector>();
      for (int t = 0; t < targets.size(); t++) {
        var target = targets.get(t);
        if (target.count() > 0) {
          fill(lists.get(t), target, batch);
        }
        vectors.add(target.count() == 0 ? batch.getVector(target.first()) : lists.get(t));
      }
      row += batch.getRowCount();
      return new VectorSchemaRoot(schema, vectors, batch.getRowCount());
    }

    private void fill(FixedSizeListVector list, Target target, VectorSchemaRoot batch) {
      int rows = batch.getRowCount();
      int width = target.count();
      var prim = target.prim().orElseThrow();
      list.setInitialCapacity(rows);
      list.allocateNew();
      BatchNumbers.segment(list.getValidityBuffer()).fill((byte) 0xFF);
      var cells = (BaseFixedWidthVector) list.getDataVector();
      var numbers = new BatchNumbers(cells, prim, rows * width);
      for (int c = 0; c < width; c++) {
        var data = ColumnData.of(batch.getVector(target.first() + c));
        requireNoNulls(data, fields.get(target.first() + c));
        for (int i = 0; i < rows; i++) {
          numbers.set(i * width + c, bits(data, data.offset() + i, prim));
        }
      }
      cells.setValueCount(rows * width);
      list.setValueCount(rows);
    }

    private static long bits(ColumnData data, long i, Prim to) {
      if (data.prim() == Prim.BOOL) {
        return ColumnData.bit(data.data(), i) ? 1 : 0;
      }
      long bits = Elements.bits(data.data(), data.prim(), i);
      return data.prim() == to ? bits : to.fromDouble(data.prim().toDouble(bits));
    }

    private void requireNoNulls(ColumnData data, Field field) {
      for (long i = 0; data.mayHaveNulls() && i < data.rows(); i++) {
        if (data.isNull(i)) {
          throw fault(
              K6106,
              "%s: column \"%s\" is null in row %d".formatted(name, field.getName(), row + i),
              "an element of a list of numbers can't be null: drop such rows (--missing drop)");
        }
      }
    }

    @Override
    public void close() {
      lists.stream().filter(l -> l != null).forEach(FieldVector::close);
      memory.close();
    }
  }
}
