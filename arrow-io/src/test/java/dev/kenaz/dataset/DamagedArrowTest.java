package dev.kenaz.dataset;

import static dev.kenaz.dataset.FormatTesting.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kenaz.arrow.SoundVectors;
import dev.kenaz.arrow.VectorFile;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.LocalInputFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Damaged columns of lists and strings, of each kind that Arrow has, are errors that name the file,
 * before anyone reads memory where there is none of theirs.
 */
final class DamagedArrowTest {
  private static final int ROWS = 24;
  private static final int DAMAGES = 300;

  @TempDir Path folder;

  private static Field field(String name, ArrowType type, Field... children) {
    return new Field(name, FieldType.nullable(type), List.of(children));
  }

  private static Field number(String name) {
    return Columns.scalar(name, Prim.I32);
  }

  static List<Field> kinds() {
    return List.of(
        field("utf8", ArrowType.Utf8.INSTANCE),
        field("large_utf8", ArrowType.LargeUtf8.INSTANCE),
        field("utf8_view", ArrowType.Utf8View.INSTANCE),
        field("large_binary", ArrowType.LargeBinary.INSTANCE),
        field("list", ArrowType.List.INSTANCE, number("item")),
        field("large_list", ArrowType.LargeList.INSTANCE, number("item")),
        field(
            "lists",
            ArrowType.LargeList.INSTANCE,
            field("item", ArrowType.LargeList.INSTANCE, field("t", ArrowType.LargeUtf8.INSTANCE))),
        field(
            "struct",
            ArrowType.Struct.INSTANCE,
            field("a", ArrowType.LargeUtf8.INSTANCE),
            field("b", new ArrowType.FixedSizeList(2), field("t", ArrowType.Utf8.INSTANCE))));
  }

  private static byte[] written(Field field) throws IOException {
    var bytes = new ByteArrayOutputStream();
    var none = new DictionaryProvider.MapDictionaryProvider();
    try (var memory = new RootAllocator();
        var batch = VectorSchemaRoot.create(new Schema(List.of(field)), memory);
        var out = Channels.newChannel(bytes);
        var writer = new ArrowFileWriter(batch, none, out)) {
      new RandomBatches(5).fill(batch, ROWS);
      writer.writeBatch();
      writer.end();
    }
    return bytes.toByteArray();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void whatIsDamagedIsReadOrNamed(Field field) throws IOException {
    var whole = written(field);
    var file = Files.write(folder.resolve("whole.arrow"), whole);
    assertEquals(ROWS, rows(ArrowReader.open(DataFile.of(file))).size());
    assertEquals(ROWS, rows(ArrowReader.open(new Elsewhere(file))).size());
    int body = (int) VectorFile.map(file).position(0);
    var random = new SplittableRandom(field.getName().hashCode());
    var codes = new TreeSet<ErrorCode>();
    for (int i = 0; i < DAMAGES; i++) {
      var bytes = whole.clone();
      // Most damages are in the elements: those of the metadata are tested for all formats.
      int from = i % 8 == 0 ? 0 : body;
      bytes[random.nextInt(from, bytes.length)] ^= (byte) (1 << random.nextInt(8));
      var damaged = Files.write(folder.resolve("f" + i), bytes);
      var read = i % 2 == 0 ? DataFile.of(damaged) : new Elsewhere(damaged);
      try {
        rows(ArrowReader.open(read));
      } catch (UserError e) {
        assertTrue(e.getMessage().contains(damaged.toString()), e.getMessage());
        codes.add(e.diagnostics().getFirst().code());
      } catch (RuntimeException | Error e) {
        fail(field + ", damage " + i + ": " + e, e);
      }
      Files.delete(damaged);
    }
    assertTrue(codes.contains(ErrorCode.K6103), codes::toString);
    codes.removeAll(List.of(ErrorCode.K6102, ErrorCode.K6103, ErrorCode.K6105));
    // What ends too early may be a connection that has ended: that can't be told elsewhere.
    codes.remove(ErrorCode.K6101);
    assertEquals(Set.of(), codes);
  }

  @Test
  void wideOffsetsThatLeadNowhereAreDamages() {
    try (var memory = new RootAllocator()) {
      for (var field : List.of(kinds().get(1), kinds().get(5))) {
        for (long wrong : new long[] {-1, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE}) {
          var batch = VectorSchemaRoot.create(new Schema(List.of(field)), memory);
          new RandomBatches(5).fill(batch, 2);
          batch.getVector(0).getOffsetBuffer().setLong(2 * Long.BYTES, wrong);
          var e = assertThrows(UserError.class, () -> SoundVectors.require("f.arrow", batch));
          assertEquals(ErrorCode.K6103, e.diagnostics().getFirst().code());
        }
      }
    }
  }

  @Test
  void typesThatThereAreNotAreDamages() {
    var within =
        field("list", ArrowType.List.INSTANCE, field("item", new ArrowType.Int(157, true)));
    for (var field : List.of(field("b", new ArrowType.Int(1179746, false)), within)) {
      var schema = new Schema(List.of(number("a"), field));
      var e = assertThrows(UserError.class, () -> SoundVectors.require("f.arrow", schema));
      assertEquals(ErrorCode.K6103, e.diagnostics().getFirst().code());
    }
  }

  /** The column has enough for the rows, but not for all elements that it says it has. */
  @Test
  void columnsThatSayTheyAreLongerThanTheyAreAreDamages() {
    try (var memory = new RootAllocator()) {
      var schema = new Schema(List.of(number("a")));
      var vector = schema.getFields().getFirst().createVector(memory);
      try (var bits = memory.buffer(1);
          var numbers = memory.buffer(256)) {
        vector.loadFieldBuffers(new ArrowFieldNode(64, 0), List.of(bits, numbers));
      }
      var batch = new VectorSchemaRoot(schema, List.of(vector), 5);
      var e = assertThrows(UserError.class, () -> SoundVectors.require("f.arrow", batch));
      assertEquals(ErrorCode.K6103, e.diagnostics().getFirst().code());
    }
  }

  /** A file that can only be read from its beginning, as those of other machines are. */
  private record Elsewhere(Path file) implements DataFile {
    @Override
    public String name() {
      return file.toString();
    }

    @Override
    public long size() throws IOException {
      return Files.size(file);
    }

    @Override
    public InputStream open() throws IOException {
      return Files.newInputStream(file);
    }

    @Override
    public Optional<Path> path() {
      return Optional.empty();
    }

    @Override
    public InputFile seekable() {
      return new LocalInputFile(file);
    }
  }
}
