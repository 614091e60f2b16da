package dev.kenaz.spark.sql;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.RangedFileWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Date;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.arrow.vector.TimeStampNanoTZVector;
import org.apache.arrow.vector.TimeStampSecVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.Text;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Batches that a query's filters exclude aren't read, and results are those of the same rows in
 * memory, whatever a footer says.
 */
final class SkippedBatchesTest {
  private static final String KEY = "kenaz.ranges";

  /** Rows whose values grow, so that batches have ranges of their own, with what is unusual. */
  private static final String MIXED =
      """
      select id, if(id % 40 between 10 and 29, null, cast(id / 4 as tinyint)) as i8,
        cast(id * 50 - 9000 as smallint) as i16, cast(id * id as int) as i32,
        id * 1000000007 as i64, id > 200 as b,
        case when id % 61 = 7 then float('nan') when id between 100 and 119 then float('-0.0')
          when id = 130 then float('inf') else cast(id - 110 as float) / 3 end as f32,
        case when id between 160 and 179 then double('nan') when id = 45 then -0D
          when id = 47 then 0D when id % 5 = 1 then null else (id - 150) / 7D end as f64,
        if(id < 60, null, concat('row ', lpad(id, 4, '0'), if(id % 2 = 0, 'ä', '\\u0000'))) as s,
        cast(id * 1.001 - 100 as decimal(12, 3)) as d,
        cast(id as decimal(38, 0)) * 100000000000000000000 - 17000000000000000000000 as big,
        date_add(date'1899-12-01', cast(id * 200 as int)) as day,
        timestamp_micros(id * 9000000000003 - 2400000000000000) as at,
        cast(timestamp_micros(id * 999999999) as timestamp_ntz) as wall
      from range(0, 400, 1, 2)
      """;

  private static final Map<String, List<String>> VALUES =
      Map.ofEntries(
          Map.entry("id", List.of("-1L", "0L", "17L", "200L", "399L", "400L")),
          Map.entry("i8", List.of("0Y", "5Y", "77Y", "-128Y", "127Y")),
          Map.entry("i16", List.of("-9000S", "0S", "777S", "10950S")),
          Map.entry("i32", List.of("0", "1", "40000", "159201", "-1")),
          Map.entry("i64", List.of("0L", "1000000007L", "123456789012L")),
          Map.entry("b", List.of("true", "false")),
          Map.entry(
              "f32", List.of("float('nan')", "float('-0.0')", "0F", "float('inf')", "-3F", "50F")),
          Map.entry("f64", List.of("double('nan')", "-0D", "0D", "double('-inf')", "-3.5D", "20D")),
          Map.entry("s", List.of("''", "'row 0100ä'", "'row 02'", "'row 0399'", "'s'", "'ä'")),
          Map.entry("d", List.of("0.000", "-100.000", "123.456", "0.0005", "77")),
          Map.entry("big", List.of("0", "-17000000000000000000000", "12000000000000000000000")),
          Map.entry("day", List.of("date'1899-12-15'", "date'1970-01-01'", "date'2011-12-30'")),
          Map.entry(
              "at", List.of("timestamp'1895-01-01 00:00:00'", "timestamp'1950-06-01 12:34:56'")),
          Map.entry("wall", List.of("timestamp_ntz'1970-01-01 02:00:00'")));

  private static final int FILTERS = Integer.getInteger("random.programs", 20);

  private static final AtomicLong SKIPPED = new AtomicLong();
  private static SparkSession spark;
  @TempDir Path folder;

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", false)
            .config("spark.sql.session.timeZone", "Europe/Berlin")
            .config("spark.sql.codegen.wholeStage", false) // Compiling takes most of the time.
            .config("spark.sql.warehouse.dir", "target/warehouse")
            .getOrCreate();
    spark
        .sparkContext()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onTaskEnd(SparkListenerTaskEnd task) {
                CollectionConverters.asJava(task.taskInfo().accumulables()).stream()
                    .filter(a -> a.name().exists(ArrowFileFormat.SKIPPED::equals))
                    .forEach(a -> SKIPPED.addAndGet((long) a.update().get()));
              }
            });
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  @AfterEach
  void allMemoryIsGivenBack() {
    assertEquals(0, ForeignFilesTest.allocated());
  }

  private static Dataset<Row> load(Path place) {
    return spark.read().format("arrow").load(place.toString());
  }

  private static List<String> sorted(Dataset<Row> rows) {
    return rows.collectAsList().stream().map(Row::toString).sorted().toList();
  }

  /** Returns how many batches were skipped while this ran. */
  private static long skipped(Runnable run) {
    SKIPPED.set(0);
    run.run();
    try {
      spark.sparkContext().listenerBus().waitUntilEmpty(60_000);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new IllegalStateException(e);
    }
    return SKIPPED.get();
  }

  private Path written(String name, Dataset<Row> rows, String compression) {
    var place = folder.resolve(name);
    rows.write()
        .format("arrow")
        .option("rows", 20)
        .option("compression", compression)
        .save(place.toString());
    return place;
  }

  private static Path only(Path place) throws IOException {
    try (Stream<Path> files = Files.list(place)) {
      return files.filter(f -> f.toString().endsWith(".arrow")).findFirst().orElseThrow();
    }
  }

  @Test
  void plansAndCountersShowIt() {
    var place = written("t", spark.range(0, 1000, 1, 1).selectExpr("id", "id % 7 as k"), "none");
    var some = load(place).where("id >= 990 and k = 3").select("k");
    var plan = some.queryExecution().executedPlan().toString();
    assertTrue(plan.contains("PushedFilters: [IsNotNull(id), IsNotNull(k), Great"), plan);
    assertEquals(49, skipped(() -> assertEquals(2, some.collectAsList().size())));
    assertEquals(50, skipped(() -> assertEquals(0, load(place).where("id < 0").count())));
    assertEquals(0, skipped(() -> assertEquals(1000, load(place).count())));
    assertEquals(0, skipped(() -> assertEquals(1000, load(place).where("k + 0 < 7").count())));
    assertEquals(50, skipped(() -> assertEquals(0, load(place).where("k is null").count())));
    assertEquals(50, skipped(() -> assertEquals(0, load(place).where("k in (9, 10)").count())));
  }

  /** Spark itself can't read some of these names in the filters that it makes. */
  @ParameterizedTest
  @ValueSource(strings = {"parquet,orc", "arrow"})
  void namesOfColumnsMayHaveAnyLetters(String parts) {
    var key = "spark.sql.optimizer.nestedPredicatePushdown.supportedFileSources";
    var names = List.of("with blank", "a.b", "x`y", "`q`", "q", "1st", "select", "größe");
    var columns = names.stream().map(n -> col("id").as(n)).toArray(Column[]::new);
    var place = written("t", spark.range(0, 1000, 1, 1).select(columns), "none");
    spark.conf().set(key, parts);
    try {
      for (var name : names) {
        var some = load(place).where(col("`" + name.replace("`", "``") + "`").geq(990));
        long skipped = skipped(() -> assertEquals(10, some.collectAsList().size(), name));
        assertEquals(name.equals("a.b") && !parts.equals("arrow") ? 0 : 49, skipped, name);
      }
    } finally {
      spark.conf().unset(key);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "zstd"})
  void resultsAreThoseOfTheSameRowsInMemory(String compression) {
    var rows = spark.sql(MIXED);
    var place = written("t", rows, compression);
    var inMemory = spark.createDataFrame(rows.collectAsList(), rows.schema());
    long all = skipped(() -> same(place, inMemory, VALUES));
    assertTrue(all > FILTERS / 2, all + " batches were skipped");
  }

  private static void same(Path place, Dataset<Row> inMemory, Map<String, List<String>> values) {
    var random = new Random(Long.getLong("random.seed", 1));
    for (int i = 0; i < FILTERS; i++) {
      var filter = filter(random, values, 2);
      assertEquals(sorted(inMemory.where(filter)), sorted(load(place).where(filter)), () -> filter);
    }
  }

  private static <T> T any(Random random, List<T> from) {
    return from.get(random.nextInt(from.size()));
  }

  private static String filter(Random random, Map<String, List<String>> values, int depth) {
    if (depth > 0 && random.nextInt(3) > 0) {
      var a = filter(random, values, depth - 1);
      return random.nextInt(3) == 0
          ? "not (" + a + ")"
          : "("
              + a
              + any(random, List.of(") and (", ") or ("))
              + filter(random, values, depth - 1)
              + ")";
    }
    var column = any(random, values.keySet().stream().sorted().toList());
    var value = any(random, values.get(column));
    return switch (random.nextInt(6)) {
      case 0 -> column + any(random, List.of(" is null", " is not null", " <=> null"));
      case 1 -> column + " in (" + value + ", " + any(random, values.get(column)) + ")";
      case 2 -> column + " not in (" + value + ", null)";
      case 3 -> column.equals("s") ? "s like 'row 02%'" : value + " < " + column;
      default ->
          column + any(random, List.of(" = ", " <=> ", " < ", " <= ", " > ", " >= ")) + value;
    };
  }

  /** Fills a column of a kind that Spark lacks with rows that grow, and with a null in each 13. */
  private static FieldVector filled(FieldVector v, int from, IntConsumer set) {
    for (int i = 0; i < 20; i++) {
      if ((from + i) % 13 == 5) {
        v.setNull(i);
      } else {
        set.accept(i);
      }
    }
    v.setValueCount(20);
    return v;
  }

  private static List<FieldVector> foreign(RootAllocator memory, int from) {
    var u8 = new UInt1Vector("u8", memory);
    var u16 = new UInt2Vector("u16", memory);
    var u32 = new UInt4Vector("u32", memory);
    var u64 = new UInt8Vector("u64", memory);
    var f16 = new Float2Vector("f16", memory);
    var day = new DateMilliVector("day", memory);
    var sec = new TimeStampSecVector("sec", memory);
    var ms = new TimeStampMilliVector("ms", memory);
    var zone = new ArrowType.Timestamp(TimeUnit.NANOSECOND, "Asia/Tokyo");
    var ns = new TimeStampNanoTZVector("ns", FieldType.nullable(zone), memory);
    var s = new LargeVarCharVector("s", memory);
    return List.of(
        filled(u8, from, i -> u8.setSafe(i, from + i)),
        filled(u16, from, i -> u16.setSafe(i, (from + i) * 300)),
        filled(u32, from, i -> u32.setSafe(i, (from + i) * 20_000_000)),
        filled(u64, from, i -> u64.setSafe(i, (from + i) * 80_000_000_000_000_000L)),
        filled(f16, from, i -> f16.setSafeWithPossibleTruncate(i, (from + i - 60) / 8F)),
        filled(day, from, i -> day.setSafe(i, (from + i - 50) * 86_400_000L)),
        filled(sec, from, i -> sec.setSafe(i, (from + i - 50) * 10_000L)),
        filled(ms, from, i -> ms.setSafe(i, (from + i - 50) * 777L)),
        filled(ns, from, i -> ns.setSafe(i, (from + i - 50) * 777_777L)),
        filled(s, from, i -> s.setSafe(i, new Text("t" + (1000 + from + i)))));
  }

  @Test
  void typesThatSparkWidens() throws IOException {
    var file = folder.resolve("foreign.arrow");
    try (var memory = new RootAllocator();
        var out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      var first = foreign(memory, 0);
      var schema = new Schema(first.stream().map(FieldVector::getField).toList());
      first.forEach(FieldVector::close);
      try (var writer = new RangedFileWriter(schema, out, CodecType.NO_COMPRESSION, memory)) {
        for (int from = 0; from < 240; from += 20) {
          try (var root = new VectorSchemaRoot(foreign(memory, from))) {
            writer.write(root);
          }
        }
        writer.end();
      }
    }
    var rows = load(file);
    var inMemory = spark.createDataFrame(rows.collectAsList(), rows.schema());
    var values =
        Map.of(
            "u8", List.of("0S", "130S", "239S", "-1S", "256S"),
            "u16", List.of("0", "40000", "60000", "-5"),
            "u32", List.of("0L", "3000000000L", "4700000000L", "-5L"),
            "u64",
                List.of("0", "9600000000000000000", "18000000000000000000", "-5").stream()
                    .map(v -> "cast(" + v + " as decimal(20,0))")
                    .toList(),
            "f16", List.of("0F", "-7.5F", "22F", "float('nan')"),
            "day", List.of("date'1970-01-01'", "date'1969-12-01'", "date'1970-06-01'"),
            "sec", List.of("timestamp_ntz'1970-01-01'", "timestamp_ntz'1970-01-15 04:00:00'"),
            "ms", List.of("timestamp_ntz'1970-01-01'", "timestamp_ntz'1970-01-01 00:01:00.5'"),
            "ns", List.of("timestamp_micros(0)", "timestamp_micros(777)", "timestamp_micros(-1)"),
            "s", List.of("'t1100'", "'t12'", "'a'"));
    long all = skipped(() -> same(file, inMemory, values));
    assertTrue(all > FILTERS / 2, all + " batches were skipped");
  }

  private static final Schema LONGS =
      new Schema(List.of(Field.nullable("x", new ArrowType.Int(64, true))));

  /** Writes 5 batches of 20 rows, which grow from a number on, with this in the footer. */
  private void foreign(Path file, long from, Map<String, String> footer) throws IOException {
    try (var memory = new RootAllocator();
        var root = VectorSchemaRoot.create(LONGS, memory);
        var out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var writer = new ArrowFileWriter(root, null, out, footer)) {
      for (int batch = 0; batch < 5; batch++) {
        for (int i = 0; i < 20; i++) {
          ((BigIntVector) root.getVector(0)).setSafe(i, from + 20 * batch + i);
        }
        root.setRowCount(20);
        writer.writeBatch();
      }
      writer.end();
    }
  }

  private static String footer(Path file) throws IOException {
    try (var memory = new RootAllocator();
        var in = FileChannel.open(file);
        var reader = new ArrowFileReader(in, memory)) {
      reader.getVectorSchemaRoot();
      return reader.getMetaData().get(KEY);
    }
  }

  /** The footer of another file is believed where that has the same batches, and nowhere else. */
  @Test
  void footersOfOtherFilesAreNotBelieved() throws IOException {
    var made = only(written("t", spark.range(0, 100, 1, 1).selectExpr("id as x"), "none"));
    var told = footer(made);
    var copy = folder.resolve("copy.arrow");
    foreign(copy, 0, Map.of(KEY, told));
    assertEquals(4, skipped(() -> assertEquals(20, load(copy).where("x < 20").count())));
    var other = folder.resolve("other.arrow");
    foreign(other, 1000, Map.of(KEY, told));
    assertEquals(0, skipped(() -> assertEquals(100, load(other).where("x >= 1000").count())));
    var texts =
        footer(only(written("s", spark.range(0, 100, 1, 1).selectExpr("'' || id as x"), "none")));
    var names = footer(only(written("y", spark.range(0, 100, 1, 1).selectExpr("id as y"), "none")));
    var fewer = footer(only(written("u", spark.range(0, 80, 1, 1).selectExpr("id as x"), "none")));
    for (var wrong : List.of(texts, names, fewer, "", "A", "no base 64!", "AAAA".repeat(9999))) {
      var file = folder.resolve("w" + wrong.hashCode() + ".arrow");
      foreign(file, 0, Map.of(KEY, wrong));
      assertEquals(0, skipped(() -> assertEquals(20, load(file).where("x < 20").count())));
    }
  }

  @Test
  void damagedFootersAreNotBelieved() throws IOException {
    var told = footer(only(written("t", spark.range(0, 100, 1, 1).selectExpr("id as x"), "none")));
    var random = new Random(7);
    for (int i = 0; i < 25; i++) {
      var bytes = Base64.getDecoder().decode(told);
      bytes[i < 9 ? i : random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      var file = folder.resolve("d" + i + ".arrow");
      foreign(file, 0, Map.of(KEY, Base64.getEncoder().encodeToString(bytes)));
      assertEquals(0, skipped(() -> assertEquals(20, load(file).where("x < 20").count())));
    }
  }

  /** Tables whose checksums are right, but which make no sense. */
  @Test
  void tablesThatMakeNoSenseAreNotBelieved() throws IOException {
    var told =
        Base64.getDecoder()
            .decode(
                footer(
                    only(written("t", spark.range(0, 100, 1, 1).selectExpr("id as x"), "none"))));
    var wrong = new ArrayList<byte[]>();
    wrong.add(table(IntStream.range(0, 10).mapToObj(i -> 1000L - i).toList())); // Upside down.
    wrong.add(table(IntStream.range(0, 10).mapToObj(i -> i % 2 == 0 ? null : 0L).toList()));
    wrong.add(table(IntStream.range(0, 10).mapToObj(i -> i % 2 == 1 ? null : 500L).toList()));
    wrong.add(table(IntStream.range(0, 9).mapToObj(i -> 500L).toList()));
    wrong.add(new byte[0]);
    wrong.add(new byte[100]);
    for (int i = 0; i < wrong.size(); i++) {
      var bytes = ByteBuffer.allocate(5 + 5 * 4 + wrong.get(i).length);
      bytes.put(told, 0, 5 + 5 * 4).put(wrong.get(i));
      var sum = new CRC32C();
      sum.update(bytes.array(), 5, bytes.capacity() - 5);
      bytes.putInt(1, (int) sum.getValue());
      var file = folder.resolve("n" + i + ".arrow");
      foreign(file, 0, Map.of(KEY, Base64.getEncoder().encodeToString(bytes.array())));
      assertEquals(0, skipped(() -> assertEquals(20, load(file).where("x < 20").count())), "" + i);
    }
  }

  private static byte[] table(List<Long> rows) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var memory = new RootAllocator();
        var root = VectorSchemaRoot.create(LONGS, memory);
        var writer = new ArrowStreamWriter(root, null, Channels.newChannel(bytes))) {
      for (int i = 0; i < rows.size(); i++) {
        if (rows.get(i) != null) {
          ((BigIntVector) root.getVector(0)).setSafe(i, rows.get(i));
        }
      }
      root.setRowCount(rows.size());
      writer.writeBatch();
    }
    return bytes.toByteArray();
  }

  /** Samoa had no 30 December 2011: its {@code java.sql.Date} is that of another day. */
  @Test
  void daysThatAreTwoAreNotCompared() {
    var before = TimeZone.getDefault();
    try {
      TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Apia"));
      var exact = SparkValues.exact(Date.valueOf("2011-12-25"), DataTypes.DateType);
      assertEquals(15_333, exact.orElseThrow());
      for (var day : List.of("2011-12-30", "2011-12-31")) {
        assertTrue(SparkValues.exact(Date.valueOf(day), DataTypes.DateType).isEmpty(), day);
      }
      assertTrue(SparkValues.exact(Date.valueOf("1580-01-01"), DataTypes.DateType).isEmpty());
    } finally {
      TimeZone.setDefault(before);
    }
  }
}
