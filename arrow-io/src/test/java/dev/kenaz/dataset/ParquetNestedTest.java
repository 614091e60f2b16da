package dev.kenaz.dataset;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.LocalInputFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Columns of Parquet that Kenaz only writes, as Parquet's own library reads them. */
final class ParquetNestedTest {
  @TempDir Path folder;

  /** Reads groups, the library's form of any row. */
  private static final class Groups extends ParquetReader.Builder<Group> {
    Groups(InputFile file) {
      super(file);
    }

    @Override
    protected ReadSupport<Group> getReadSupport() {
      return new GroupReadSupport();
    }
  }

  private static Field nullable(String name, ArrowType type, Field... children) {
    return new Field(name, FieldType.nullable(type), List.of(children));
  }

  @Test
  void structsMapsAndListsOfLists() throws IOException {
    var number = nullable("n", Columns.type(Prim.I64));
    var key = new Field("key", FieldType.notNullable(ArrowType.Utf8.INSTANCE), List.of());
    var entries =
        new Field(
            "entries", FieldType.notNullable(ArrowType.Struct.INSTANCE), List.of(key, number));
    var schema =
        new Schema(
            List.of(
                nullable("s", ArrowType.Struct.INSTANCE, number),
                nullable("m", new ArrowType.Map(false), entries),
                nullable("l", new ArrowType.List(), nullable("e", new ArrowType.List(), number))));
    var file = folder.resolve("nested.parquet");
    try (var memory = BatchMemory.of("test");
        var batch = VectorSchemaRoot.create(schema, memory);
        var writer =
            Formats.create(DataFormat.PARQUET, file, schema, FormatOptions.DEFAULT, Packing.NONE)) {
      var struct = (StructVector) batch.getVector("s");
      struct.setIndexDefined(0);
      ((BigIntVector) struct.getChild("n")).setSafe(0, 7);
      var map = (MapVector) batch.getVector("m");
      map.startNewValue(0);
      var pairs = (StructVector) map.getDataVector();
      pairs.setIndexDefined(0);
      ((VarCharVector) pairs.getChildrenFromFields().get(0)).setSafe(0, "a".getBytes());
      ((BigIntVector) pairs.getChildrenFromFields().get(1)).setSafe(0, 1);
      map.endValue(0, 1);
      var outer = (ListVector) batch.getVector("l");
      var inner = (ListVector) outer.getDataVector();
      outer.startNewValue(0);
      inner.startNewValue(0);
      ((BigIntVector) inner.getDataVector()).setSafe(0, 5);
      inner.endValue(0, 1);
      inner.startNewValue(1);
      inner.endValue(1, 0);
      outer.endValue(0, 2);
      batch.setRowCount(2);
      writer.write(batch);
      writer.commit();
    }
    var rows = new ArrayList<String>();
    try (var reader = new Groups(new LocalInputFile(file)).build()) {
      for (var row = reader.read(); row != null; row = reader.read()) {
        rows.add(row.toString().replaceAll("\\s+", " ").strip());
      }
    }
    assertEquals(
        List.of(
            "s n: 7 m key_value key: a value: 1 l list element list element: 5 list element", ""),
        rows);
  }
}
