package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7103;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.arrow.ColumnInfo;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.Structure;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;

/**
 * A model as an Arrow file of one row. Each number or array of the model is a column; an array is a
 * list of all its elements. The schema's metadata have the shapes.
 */
final class ModelFile {
  /** The key of the metadata. */
  static final String KEY = "kenaz.model";

  /** The name of the column of a model that is a single number or array. */
  private static final String WHOLE = "model";

  private ModelFile() {}

  /**
   * A number or an array of a model.
   *
   * @param name where it is in the model, as {@link Structure} has it
   * @param type the type of its elements
   */
  record Part(String name, String type, List<Long> shape) {
    boolean isWhole() {
      return name != null
          && type != null
          && shape != null
          && shape.stream().allMatch(d -> d != null && d >= 0);
    }
  }

  /** Returns the parts of a model. */
  static List<Part> parts(ExternalType type, List<Value> values) {
    var parts = new ArrayList<Part>();
    for (var c : Structure.components(type)) {
      var shape = Arrays.stream(values.get(parts.size()).shape()).boxed().toList();
      parts.add(new Part(c.path().isEmpty() ? WHOLE : c.path(), c.prim().text(), shape));
    }
    return parts;
  }

  /** Writes a model. */
  static void write(Path file, String type, List<Part> parts, List<Value> values) {
    var columns = new ArrayList<ColumnInfo>();
    var row = new ArrayList<ArrayValue>();
    for (int i = 0; i < parts.size(); i++) {
      var v = values.get(i);
      var name = parts.get(i).name();
      if (v instanceof ArrayValue a) {
        columns.add(ColumnInfo.list(name, a.elem(), Math.toIntExact(a.count())));
        row.add(a.reshape(1, a.count()));
      } else {
        columns.add(ColumnInfo.scalar(name, v.prim()));
        row.add(ArrayValue.stack(List.of(v)));
      }
    }
    try (var out = ArrowOutput.create(file, columns, metadata(type, parts), true)) {
      out.write(row);
      out.commit();
    }
  }

  private static Map<String, String> metadata(String type, List<Part> parts) {
    try {
      // The same model is the same bytes.
      var document = new TreeMap<>(Map.of("type", type, "parts", parts));
      return Map.of(KEY, new ObjectMapper().writeValueAsString(document));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a model.
   *
   * @throws UserError K7103 if the file doesn't have these parts
   */
  static List<Value> read(Path file, List<Part> parts) {
    var dataset = ArrowDataset.open(file.toString());
    try {
      return read(dataset, parts);
    } catch (IllegalArgumentException | ArithmeticException | NoSuchElementException e) {
      throw new UserError(K7103, file + " is not the model that model.json tells of");
    }
  }

  private static List<Value> read(ArrowDataset dataset, List<Part> parts) {
    var values = new ArrayList<Value>();
    for (var part : parts) {
      var prim = Prim.named(part.type()).orElseThrow();
      var shape = part.shape().stream().mapToLong(d -> d).toArray();
      if (Arrays.stream(shape).anyMatch(d -> d == 0)) {
        values.add(ArrayValue.of(prim, ArrayValue.allocate(prim, shape), shape));
        continue;
      }
      var column = dataset.withOptions(ReadOptions.columns(part.name()));
      var row = shape.length == 0 ? column.toVector(prim) : column.toMatrix(prim);
      if (row.count() != Arrays.stream(shape).reduce(1, Math::multiplyExact)) {
        throw new IllegalArgumentException(part.name() + " has another number of elements");
      }
      values.add(shape.length == 0 ? row.scalar(0) : row.reshape(shape));
    }
    return values;
  }
}
