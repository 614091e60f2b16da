package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6130;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.kenaz.arrow.ColumnInfo;
import dev.kenaz.arrow.Faults;
import dev.kenaz.value.Prim;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Replaces strings by numbers, i32 from 0 on, with which programs can compute: the places of the
 * strings in the sorted list of all of them. A null is -1.
 *
 * <p>The schema's metadata has the list of the column x under {@code kenaz.dictionary.x}, as in
 * {@code ["AA","UA"]}.
 *
 * @param entries the sorted strings by column
 */
public record DictionaryColumns(Map<String, List<String>> entries) implements RowChange {
  /** What the metadata's keys begin with. */
  public static final String KEY = "kenaz.dictionary.";

  /** More strings don't belong in each file's metadata. */
  private static final int MOST = 100_000;

  public DictionaryColumns {
    entries = Map.copyOf(entries);
  }

  /**
   * Reads all rows of a source to find the strings.
   *
   * @throws dev.kenaz.error.UserError K6104, K6130 if a column isn't one of strings, or has too
   *     many different ones
   */
  public static RowSource of(RowSource source, List<String> columns, FirstPass pass) {
    var parts =
        pass.over(
            source,
            "different strings",
            () -> {
              var sets = new HashMap<String, TreeSet<String>>();
              columns.forEach(c -> sets.put(c, new TreeSet<>()));
              return sets;
            },
            DictionaryColumns::add);
    var whole = new HashMap<String, List<String>>();
    for (var name : columns) {
      requireText(source.schema(), name);
      var all = new TreeSet<String>();
      for (var part : parts) {
        all.addAll(part.get(name));
        requireFew(all, name);
      }
      whole.put(name, List.copyOf(all));
    }
    return new ChangedSource(source, new DictionaryColumns(whole));
  }

  private static void requireText(Schema schema, String name) {
    var known = schema.getFields().stream().map(Field::getName).toList();
    if (!known.contains(name)) {
      throw Faults.noColumn("the data", name, known);
    }
    var field = schema.findField(name);
    if (!(field.getType() instanceof ArrowType.Utf8)) {
      throw fault(
          K6130,
          "column \"%s\" is %s, not strings".formatted(name, ColumnInfo.of(field).shownType()),
          "make strings of it (--cast " + name + "=string)");
    }
  }

  private static void requireFew(TreeSet<String> all, String name) {
    if (all.size() > MOST) {
      throw fault(
          K6130,
          "column \"%s\" has more than %,d different strings".formatted(name, MOST),
          "leave it as it is");
    }
  }

  private static void add(Map<String, TreeSet<String>> sets, VectorSchemaRoot batch) {
    sets.forEach(
        (name, set) -> {
          requireText(batch.getSchema(), name);
          var texts = (VarCharVector) batch.getVector(name);
          for (int i = 0; i < batch.getRowCount(); i++) {
            if (!texts.isNull(i)) {
              set.add(new String(texts.get(i), StandardCharsets.UTF_8));
            }
          }
          requireFew(set, name);
        });
  }

  @Override
  public Schema schema(Schema in) {
    var metadata = new HashMap<String, String>();
    if (in.getCustomMetadata() != null) {
      metadata.putAll(in.getCustomMetadata());
    }
    entries.forEach(
        (name, all) -> {
          var array = JsonNodeFactory.instance.arrayNode();
          all.forEach(array::add);
          metadata.put(KEY + name, array.toString());
        });
    return new Schema(in.getFields().stream().map(this::field).toList(), metadata);
  }

  private Field field(Field from) {
    return entries.containsKey(from.getName())
        ? ColumnInfo.field(from.getName(), Prim.I32, 1, false)
        : from;
  }

  @Override
  public Step begin(Schema in, int part, String name) {
    return new Encoding(in, schema(in), name);
  }

  private final class Encoding implements Step {
    private final Schema schema;
    private final BufferAllocator memory;
    private final List<IntVector> made = new ArrayList<>();
    private final Map<String, Map<String, Integer>> codes = new HashMap<>();

    Encoding(Schema in, Schema schema, String name) {
      this.schema = schema;
      this.memory = BatchMemory.of(name);
      for (var f : in.getFields()) {
        boolean encoded = entries.containsKey(f.getName());
        made.add(encoded ? (IntVector) field(f).createVector(memory) : null);
      }
      entries.forEach(
          (column, all) -> {
            var numbers = new HashMap<String, Integer>();
            all.forEach(s -> numbers.put(s, numbers.size()));
            codes.put(column, numbers);
          });
    }

    @Override
    public VectorSchemaRoot apply(VectorSchemaRoot batch) {
      var vectors = new ArrayList<FieldVector>();
      for (int c = 0; c < made.size(); c++) {
        var to = made.get(c);
        if (to != null) {
          encode((VarCharVector) batch.getVector(c), to, batch.getRowCount());
        }
        vectors.add(to == null ? batch.getVector(c) : to);
      }
      return new VectorSchemaRoot(schema, vectors, batch.getRowCount());
    }

    private void encode(VarCharVector from, IntVector to, int rows) {
      var numbers = codes.get(to.getName());
      to.allocateNew(rows);
      for (int i = 0; i < rows; i++) {
        to.set(
            i, from.isNull(i) ? -1 : numbers.get(new String(from.get(i), StandardCharsets.UTF_8)));
      }
      to.setValueCount(rows);
    }

    @Override
    public void close() {
      made.stream().filter(v -> v != null).forEach(FieldVector::close);
      memory.close();
    }
  }
}
