package dev.kenaz.spark.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.arrow.vector.TimeStampNanoTZVector;
import org.apache.arrow.vector.TimeStampSecVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.ArrowWriter;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.util.Text;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.util.ArrowUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that others write, with types that Spark itself does not know. */
final class ForeignFilesTest {
  private static final int ROWS = 5;
  private static final int NULL = 2;

  private static SparkSession spark;
  @TempDir Path folder;

  /**
   * Returns how much memory of Arrow is in use, without what executors of this process keep of
   * tables that other tests have read.
   */
  static long allocated() {
    var root = ArrowUtils.rootAllocator();
    long kept =
        root.getChildAllocators().stream()
            .filter(a -> a.getName().equals(PartBuilder.KEPT))
            .mapToLong(BufferAllocator::getAllocatedMemory)
            .sum();
    return root.getAllocatedMemory() - kept;
  }

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", false)
            .config("spark.sql.session.timeZone", "UTC")
            .getOrCreate();
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  /** Writes columns as one batch, into a file or a stream. */
  private Path write(boolean stream, DictionaryProvider dictionaries, List<FieldVector> columns)
      throws IOException {
    var file = folder.resolve("foreign.arrow");
    try (var root = new VectorSchemaRoot(columns);
        var out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      root.setRowCount(ROWS);
      try (ArrowWriter w =
          stream
              ? new ArrowStreamWriter(root, dictionaries, out)
              : new ArrowFileWriter(root, dictionaries, out)) {
        w.writeBatch();
      }
    }
    return file;
  }

  private static Field field(String name, ArrowType type, Field... children) {
    return new Field(name, FieldType.nullable(type), List.of(children));
  }

  private static Field u8(String name) {
    return field(name, new ArrowType.Int(8, false));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void typesAreWidened(boolean stream) throws IOException {
    try (var a = new RootAllocator()) {
      var file = write(stream, new DictionaryProvider.MapDictionaryProvider(), numbersAndTimes(a));
      var read = spark.read().format("arrow").load(file.toString());
      assertEquals(
          "struct<a:smallint,b:int,c:bigint,d:decimal(20,0),h:float,bin:binary,day:date,"
              + "s:timestamp_ntz,ms:timestamp_ntz,ns:timestamp,text:string>",
          read.schema().simpleString());
      var rows = read.collectAsList();
      var last = rows.get(4);
      assertEquals(255, last.<Short>getAs("a").intValue());
      assertEquals(65_535, last.<Integer>getAs("b"));
      assertEquals(4_294_967_295L, last.<Long>getAs("c"));
      assertEquals("18446744073709551615", last.getAs("d").toString());
      assertEquals(2.5f, last.<Float>getAs("h"));
      assertEquals(List.of((byte) 4, (byte) -4), bytes(last.getAs("bin")));
      assertEquals("1969-12-31", last.getAs("day").toString());
      assertEquals("1970-01-01T00:00:04", last.getAs("s").toString());
      assertEquals("1970-01-01T00:00:00.004", last.getAs("ms").toString());
      assertEquals("1970-01-01 00:00:00.000004", last.getAs("ns").toString());
      assertEquals("text 4", last.getAs("text"));
      assertTrue(IntStream.range(0, last.size()).allMatch(rows.get(NULL)::isNullAt));
    }
    assertEquals(0, allocated());
  }

  private static List<Byte> bytes(byte[] all) {
    var list = new ArrayList<Byte>();
    for (byte b : all) {
      list.add(b);
    }
    return list;
  }

  private static List<FieldVector> numbersAndTimes(BufferAllocator a) {
    var u1 = new UInt1Vector("a", a);
    var u2 = new UInt2Vector("b", a);
    var u4 = new UInt4Vector("c", a);
    var u8 = new UInt8Vector("d", a);
    var half = new Float2Vector("h", a);
    var bin = new FixedSizeBinaryVector("bin", a, 2);
    var day = new DateMilliVector("day", a);
    var s = new TimeStampSecVector("s", a);
    var ms = new TimeStampMilliVector("ms", a);
    var ns = new TimeStampNanoTZVector("ns", a, "Europe/Berlin");
    var text = new LargeVarCharVector("text", a);
    List<FieldVector> all = List.of(u1, u2, u4, u8, half, bin, day, s, ms, ns, text);
    all.forEach(FieldVector::allocateNew);
    for (int i = 0; i < ROWS; i++) {
      if (i == NULL) {
        int at = i;
        all.forEach(v -> v.setNull(at));
        continue;
      }
      u1.set(i, 251 + i);
      u2.set(i, 65_531 + i);
      u4.set(i, i - 5);
      u8.set(i, i - 5L);
      half.setWithPossibleTruncate(i, i - 1.5f);
      bin.set(i, new byte[] {(byte) i, (byte) -i});
      day.set(i, -1L - i);
      s.set(i, i);
      ms.set(i, i);
      ns.set(i, 1000L * i + 999);
      text.setSafe(i, ("text " + i).getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    all.forEach(v -> v.setValueCount(ROWS));
    return all;
  }

  @Test
  void nestedTypesAreWidened() throws IOException {
    try (var a = new RootAllocator()) {
      var fixed =
          (FixedSizeListVector)
              field("rgb", new ArrowType.FixedSizeList(3), u8("item")).createVector(a);
      var large =
          (LargeListVector)
              field("ragged", ArrowType.LargeList.INSTANCE, u8("item")).createVector(a);
      var struct =
          (StructVector)
              field(
                      "st",
                      ArrowType.Struct.INSTANCE,
                      u8("x"),
                      field("y", new ArrowType.FixedSizeList(1), u8("item")))
                  .createVector(a);
      var w = large.getWriter();
      for (int i = 0; i < ROWS; i++) {
        if (i != NULL) {
          w.setPosition(i);
          w.startList();
          for (int k = 0; k < i; k++) {
            w.uInt1().writeUInt1((byte) (200 + k));
          }
          w.endList();
        }
      }
      var cells = (UInt1Vector) fixed.getDataVector();
      cells.allocateNew(3 * ROWS);
      var x = (UInt1Vector) struct.getChild("x");
      var y = (FixedSizeListVector) struct.getChild("y");
      struct.allocateNew();
      for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < 3; k++) {
          cells.set(3 * i + k, 250 + k);
        }
        x.setSafe(i, 128 + i);
        ((UInt1Vector) y.getDataVector()).setSafe(i, 100 + i);
        if (i != NULL) {
          fixed.setNotNull(i);
          struct.setIndexDefined(i);
          y.setNotNull(i);
        } else {
          struct.setNull(i);
        }
      }
      List<FieldVector> all = List.of(fixed, large, struct);
      all.forEach(v -> v.setValueCount(ROWS));
      var file = write(false, new DictionaryProvider.MapDictionaryProvider(), all);
      var rows = spark.read().format("arrow").load(file.toString()).collectAsList();
      assertEquals(
          "[ArraySeq(250, 251, 252),ArraySeq(200, 201, 202),[131,ArraySeq(103)]]",
          rows.get(3).toString());
      assertEquals("[null,null,null]", rows.get(NULL).toString());
      assertEquals(
          "[ArraySeq(250, 251, 252),ArraySeq(),[128,ArraySeq(100)]]", rows.get(0).toString());
    }
    assertEquals(0, allocated());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void dictionariesAreResolved(boolean stream) throws IOException {
    try (var a = new RootAllocator();
        var entries = new VarCharVector("entries", a)) {
      entries.allocateNew();
      entries.setSafe(0, new Text("red"));
      entries.setSafe(1, new Text("green"));
      entries.setValueCount(2);
      var dictionary = new Dictionary(entries, new DictionaryEncoding(7, false, null));
      var plain = new VarCharVector("colour", a);
      plain.allocateNew();
      for (int i = 0; i < ROWS; i++) {
        if (i != NULL) {
          plain.setSafe(i, new Text(i % 2 == 0 ? "red" : "green"));
        }
      }
      plain.setValueCount(ROWS);
      var encoded = (FieldVector) DictionaryEncoder.encode(plain, dictionary);
      plain.close();
      var number = new IntVector("k", a);
      IntStream.range(0, ROWS).forEach(i -> number.setSafe(i, i));
      var file =
          write(
              stream,
              new DictionaryProvider.MapDictionaryProvider(dictionary),
              List.of(number, encoded));
      var read = spark.read().format("arrow").load(file.toString());
      assertEquals("struct<k:int,colour:string>", read.schema().simpleString());
      var colours = read.select("colour").collectAsList().stream().map(Row::toString).toList();
      assertEquals(List.of("[red]", "[green]", "[null]", "[green]", "[red]"), colours);
    }
    assertEquals(0, allocated());
  }

  @Test
  void aColumnThatSparkCannotHaveIsNamed() throws IOException {
    try (var a = new RootAllocator()) {
      var odd = field("odd", new ArrowType.Interval(IntervalUnit.DAY_TIME)).createVector(a);
      odd.setValueCount(ROWS);
      var number = new IntVector("k", a);
      IntStream.range(0, ROWS).forEach(i -> number.setSafe(i, i));
      var file =
          write(false, new DictionaryProvider.MapDictionaryProvider(), List.of(odd, number))
              .toString();
      var e = assertThrows(Exception.class, () -> spark.read().format("arrow").load(file));
      assertTrue(e.toString().contains("K6105") && e.toString().contains("\"odd\""), e.toString());
      var named = spark.read().format("arrow").schema("k int").load(file);
      assertEquals(10L, named.selectExpr("sum(k)").first().get(0));
    }
  }
}
