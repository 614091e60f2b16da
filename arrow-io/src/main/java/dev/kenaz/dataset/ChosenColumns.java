package dev.kenaz.dataset;

import dev.kenaz.arrow.Faults;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Takes columns in some order, and gives them other names.
 *
 * @param columns their names; empty for all columns
 * @param names new names by old ones
 */
public record ChosenColumns(List<String> columns, Map<String, String> names) implements RowChange {

  public ChosenColumns {
    columns = List.copyOf(columns);
    Faults.requireDistinct(columns);
    names = Map.copyOf(names);
  }

  private List<Integer> places(Schema in) {
    var known = in.getFields().stream().map(Field::getName).toList();
    for (var name : names.keySet()) {
      place(name, known);
    }
    return (columns.isEmpty() ? known : columns).stream().map(c -> place(c, known)).toList();
  }

  private static int place(String name, List<String> known) {
    int i = known.indexOf(name);
    if (i < 0) {
      throw Faults.noColumn("the data", name, known);
    }
    return i;
  }

  @Override
  public Schema schema(Schema in) {
    var fields = places(in).stream().map(i -> renamed(in.getFields().get(i))).toList();
    return Columns.distinct(new Schema(fields, in.getCustomMetadata()));
  }

  private Field renamed(Field f) {
    var type = new FieldType(f.isNullable(), f.getType(), f.getDictionary(), f.getMetadata());
    return new Field(names.getOrDefault(f.getName(), f.getName()), type, f.getChildren());
  }

  @Override
  public Step begin(Schema in, int part, String name) {
    var places = places(in);
    var schema = schema(in);
    return (View)
        batch ->
            new VectorSchemaRoot(
                schema, places.stream().map(batch::getVector).toList(), batch.getRowCount());
  }
}
