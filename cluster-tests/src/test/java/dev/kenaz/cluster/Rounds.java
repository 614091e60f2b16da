package dev.kenaz.cluster;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.spark.RowSink;
import dev.kenaz.spark.ShardSource;
import dev.kenaz.spark.SourceText;
import dev.kenaz.spark.SparkEngine;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.spark.sql.KenazFunctions;
import dev.kenaz.spark.sql.TableRows;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.classic.SparkSession;

/**
 * An application that trains, imports and scores, round after round, until it is told to end. Each
 * round must give what the first one gave, to the last bit, whatever happens to executors. From the
 * second round on, a piece of the data can't be read twice.
 */
public final class Rounds {
  private static final int SHARDS = 6;
  private static final int ROWS_OF_SHARD = 20_000;
  private static final int ROWS_OF_TABLE = 60_000;

  /** A training of the whole, and a score that is as slow as one of a larger model. */
  private static final String PROGRAM =
      """
      entry train [n] (xs: [n]f64): f64 =
        loop w = 1f64 for _i < 12i32 do
          w - 0.01 * f64.sum (map (\\x -> f64.sin (w * x) * x) xs) / f64.i64 n
      entry score (x: f64): f64 =
        loop s = x for i < 2000i32 do f64.sin (s + f64.i32 i)
      """;

  private Rounds() {}

  /**
   * Numbers, of which some can't be read at first.
   *
   * @param marks a new folder that tells all executors how often that has been tried; "" if
   *     everything can be read
   */
  private record Numbers(String marks) implements ShardSource {
    private static final int UNREADABLE = 3;
    private static final int TRIES = 2;

    @Override
    public String key() {
      return "numbers of rounds " + marks;
    }

    @Override
    public int shards() {
      return SHARDS;
    }

    @Override
    public List<Value> load(int shard) {
      if (shard == UNREADABLE && !marks.isEmpty()) {
        fail();
      }
      int first = shard * ROWS_OF_SHARD;
      var numbers = IntStream.range(first, first + ROWS_OF_SHARD).mapToDouble(x -> x % 1009 * 0.1);
      return List.of(ArrayValue.ofDoubles(numbers.toArray(), ROWS_OF_SHARD));
    }

    private void fail() {
      for (int i = 0; i < TRIES; i++) {
        try {
          Files.createFile(Path.of(marks, "try " + i));
          throw new UserError(ErrorCode.K6101, "the network is down");
        } catch (FileAlreadyExistsException e) {
          // This is a later try.
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  /**
   * Prints a line for each part of each round.
   *
   * @param args a folder to work in, and a file that is there when no round shall follow
   */
  public static void main(String[] args) throws IOException {
    var folder = Path.of(args[0]);
    try (var spark = SparkStart.open("rounds", Optional.empty())) {
      var session = SparkSession.builder().sparkContext(spark.sc()).getOrCreate();
      KenazFunctions.registerText(session, "score", PROGRAM, "score");
      session
          .range(0, ROWS_OF_TABLE, 1, SHARDS)
          .selectExpr("id", "id * 0.37 AS x")
          .write()
          .mode(SaveMode.Overwrite)
          .csv(folder.resolve("csv").toString());
      for (int round = 0; round == 0 || !Files.exists(Path.of(args[1])); round++) {
        var marks = round == 0 ? "" : folder.resolve("round " + round).toString();
        System.out.println("trained " + train(spark, marks));
        System.out.println("imported " + imported(spark, folder));
        System.out.println("scored " + scored(session, folder));
        System.out.println("round " + round);
      }
    }
  }

  private static String train(JavaSparkContext spark, String marks) throws IOException {
    if (!marks.isEmpty()) {
      Files.createDirectory(Path.of(marks));
    }
    var text =
        new SourceText(ProgramSource.of("rounds.fut", PROGRAM), "train", Set.of(0), Backend.JVM);
    var rows = new long[SHARDS];
    Arrays.fill(rows, ROWS_OF_SHARD);
    var runner = new SparkRunner(spark, new Numbers(marks), SparkStart.cacheBytes(spark));
    var engine = new SparkEngine(runner, text, List.of(Cuts.ofRows(rows)), RowSink.COLLECT);
    var arguments = text.plan().arguments(List.of(), List.<Value>of());
    return engine.results(text.plan(), text.caller(1), arguments).toString();
  }

  /** Copies rows that Spark reads into Arrow files, as a training does. */
  private static String imported(JavaSparkContext spark, Path folder) throws IOException {
    var csv =
        new TableRows.Source(
            Optional.empty(),
            Optional.empty(),
            Optional.of("csv"),
            Map.of("inferSchema", "true"),
            Optional.of(folder.resolve("csv").toString()));
    var to = folder.resolve("imported");
    TableRows.write(TableRows.open(spark, csv, List.of()), to, csv);
    return digest(to, "_c1");
  }

  private static String scored(SparkSession session, Path folder) throws IOException {
    var to = folder.resolve("scored");
    session
        .read()
        .format("arrow")
        .load(folder.resolve("imported").toString())
        .selectExpr("score(_c1) AS s")
        .write()
        .format("arrow")
        .mode(SaveMode.Overwrite)
        .save(to.toString());
    return digest(to, "s");
  }

  /** Returns how many rows the files of a folder have, and what depends on each and its place. */
  private static String digest(Path folder, String column) throws IOException {
    var numbers =
        ArrowDataset.open(List.of(folder.toString()), ReadOptions.columns(column))
            .toVector(Prim.F64)
            .toDoubleArray();
    return numbers.length + " rows " + Arrays.hashCode(numbers);
  }
}
