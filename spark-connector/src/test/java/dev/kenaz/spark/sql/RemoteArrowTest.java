package dev.kenaz.spark.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.hadoop.fs.FileSystem;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of Arrow files in other file systems no more is copied than a query needs. */
final class RemoteArrowTest {
  private static final int ROWS = 200_000;
  private static final int BATCH = 50_000;
  private static SparkSession spark;
  @TempDir static Path folder;

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", false)
            .config("spark.sql.shuffle.partitions", 2)
            .config("spark.hadoop.fs.mirror.impl", OddFilesTest.Mirror.class.getName())
            .getOrCreate();
    var columns = new StringBuilder("id");
    for (int c = 0; c < 9; c++) {
      columns.append(", hash(id, ").append(c).append(") * 1.5 as c").append(c);
    }
    spark.range(0, ROWS, 1, 1).createOrReplaceTempView("numbers");
    spark
        .sql("select " + columns + ", concat('n', id % 7) as s from numbers")
        .write()
        .format("arrow")
        .option("rows", BATCH)
        .save(folder.resolve("made").toString());
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  @AfterEach
  void allMemoryIsGivenBack() {
    spark.conf().unset("spark.sql.files.maxPartitionBytes");
    assertEquals(0, ForeignFilesTest.allocated());
  }

  private static Dataset<Row> local() {
    return spark.read().format("arrow").load(folder.resolve("made").toString());
  }

  private static Dataset<Row> remote() {
    return spark.read().format("arrow").load("mirror://" + folder.resolve("made"));
  }

  private static long size() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("made"))) {
      return files
          .filter(f -> f.toString().endsWith(".arrow"))
          .mapToLong(f -> f.toFile().length())
          .sum();
    }
  }

  /** Returns how many bytes are read from the other file system while rows are collected. */
  private static long read(Dataset<Row> rows, List<Row> expected) {
    long before = bytesRead();
    assertEquals(expected, rows.collectAsList());
    return bytesRead() - before;
  }

  private static long bytesRead() {
    return FileSystem.getGlobalStorageStatistics().get("mirror").getLong("bytesRead");
  }

  private static long read(String query) {
    remote().createOrReplaceTempView("remote");
    local().createOrReplaceTempView("local");
    return read(
        spark.sql(query.formatted("remote")), spark.sql(query.formatted("local")).collectAsList());
  }

  @Test
  void batchesThatFiltersExcludeAreNotCopied() throws IOException {
    long some = read("select sum(c0 + c8) from %s where id >= 60000 and id < 61000");
    assertTrue(some < size() / 2, some + " of " + size());
    assertTrue(read("select * from %s where id < 0") < size() / 3, "no batch is needed");
    var last = remote().where("id >= 199998").selectExpr("_metadata.row_index").collectAsList();
    assertEquals("[[199998], [199999]]", last.toString());
  }

  @Test
  void columnsThatNothingNeedsAreNotCopied() throws IOException {
    assertTrue(read("select sum(c4) from %s") < size() / 2, "one column of eleven is needed");
    assertTrue(read("select count(*) from %s") < size() / 3, "no column is needed");
  }

  @Test
  void largeFilesAreReadInParts() throws IOException {
    spark.conf().set("spark.sql.files.maxPartitionBytes", 1 << 20);
    assertTrue(remote().rdd().getNumPartitions() > 8);
    long all =
        read(
            "select count(*), sum(id), sum(c0), sum(c1), sum(c2), sum(c3), sum(c4), sum(c5),"
                + " sum(c6), sum(c7), sum(c8), min(s), max(s) from %s");
    assertTrue(all < 2 * size(), all + " of " + size());
  }

  @Test
  void streamsAreReadOnce() throws IOException {
    var place = folder.resolve("stream.arrow");
    try (var memory = new RootAllocator();
        var numbers = new BigIntVector("x", memory);
        var out = Files.newOutputStream(place)) {
      var root = new VectorSchemaRoot(List.of((FieldVector) numbers));
      try (var writer = new ArrowStreamWriter(root, null, Channels.newChannel(out))) {
        for (int batch = 0; batch < 8; batch++) {
          for (int i = 0; i < 10_000; i++) {
            numbers.setSafe(i, batch * 10_000L + i);
          }
          root.setRowCount(10_000);
          writer.writeBatch();
        }
      }
    }
    spark.conf().set("spark.sql.files.maxPartitionBytes", 100_000);
    var rows = spark.read().format("arrow").load("mirror://" + place);
    assertTrue(rows.rdd().getNumPartitions() > 4);
    assertEquals("[80000,3199960000]", rows.selectExpr("count(*)", "sum(x)").first().toString());
  }
}
