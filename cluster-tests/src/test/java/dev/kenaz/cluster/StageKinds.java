package dev.kenaz.cluster;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ResultParts;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.PlanRunner;
import dev.kenaz.options.Backend;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.spark.ArrowParts;
import dev.kenaz.spark.RowSink;
import dev.kenaz.spark.ShardSource;
import dev.kenaz.spark.SourceText;
import dev.kenaz.spark.SparkEngine;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * An application that runs plans with stages of each kind on a cluster. In each run one executor
 * ends in the middle of a given stage; the results must be those of an undisturbed run, to the last
 * bit.
 */
public final class StageKinds {
  private static final int SHARDS = 5;
  private static final long[] ROWS = {20, 0, 20, 20, 20};

  /** For each kind, a program and the job in which an executor ends. */
  private record Kind(String body, String job) {}

  private static final Map<String, Kind> KINDS = new LinkedHashMap<>();

  static {
    var sum = "f64.sum (map (\\x -> 0.1 * f64.i64 x) xs)";
    KINDS.put(
        "combined",
        new Kind(
            "(" + sum + ", reduce (\\a b -> if b % 7 == 0 then a else b) 0 xs)",
            "stage 0 of main"));
    KINDS.put("totals of a scan", new Kind("scan (+) 0 xs", "stage 0 of main"));
    KINDS.put("rows of a scan", new Kind("scan (+) 0 xs", "stage 1 of main"));
    KINDS.put("kept rows", new Kind("map (+ 1) xs", "stage 0 of main"));
    KINDS.put("written rows", new Kind("map (+ 1) xs", "stage 0 of main"));
    KINDS.put(
        "loop",
        new Kind(
            "loop s = 1f64 for _i < 3i32 do s + f64.sum (map (\\x -> 0.1 * s * f64.i64 x) xs)",
            "stage 0 of main, run 2"));
    KINDS.put(
        "filtered rows",
        new Kind("let ys = filter (> 3) xs in map (\\y -> y * i64.sum ys) ys", "stage 0 of main"));
    KINDS.put(
        "rows that a loop moves",
        new Kind(
            """
            (loop (ys, s) = (copy xs, 0) for _i < 4i64 do
              let zs = map2 (\\i x -> (ys[(7 * i + 3) % n] + x + s) % 1000) (iota n) xs
              in (zs, i64.sum zs)).0
            """
                .strip(),
            "stage 2 of main, run 3"));
    KINDS.put(
        "one row after the other",
        new Kind("loop s = 1 for i < n do (3 * s + xs[i]) % 1000", "stage 0 of main"));
  }

  private StageKinds() {}

  /** Numbers. Whoever reads some of them for the given job first ends its process. */
  private record Numbers(String key, String job, String mark) implements ShardSource {
    @Override
    public int shards() {
      return SHARDS;
    }

    @Override
    public List<Value> load(int shard) {
      if (TaskContext.get().getLocalProperty("spark.job.description").contains(job)) {
        try {
          Files.createFile(Path.of(mark));
          Runtime.getRuntime().halt(137);
        } catch (FileAlreadyExistsException e) {
          // This is a second try.
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      }
      long before = LongStream.of(ROWS).limit(shard).sum();
      var numbers = LongStream.range(before, before + ROWS[shard]).map(x -> x * x % 11).toArray();
      return List.of(ArrayValue.ofLongs(numbers, numbers.length));
    }
  }

  /** Runs each kind twice, and prints a line for each. */
  public static void main(String[] args) throws IOException {
    var folder = Path.of(args[0]);
    try (var spark = SparkStart.open("stage kinds", Optional.empty())) {
      for (var kind : KINDS.entrySet()) {
        var name = kind.getKey();
        var mark = folder.resolve("ended in " + name);
        var expected = run(spark, name, kind.getValue(), "no job", folder, "undisturbed");
        var got = run(spark, name, kind.getValue(), kind.getValue().job(), folder, mark.toString());
        var outcome = expected.equals(got) ? "same" : expected + " became " + got;
        System.out.println(name + ": " + (Files.exists(mark) ? outcome : "no executor ended"));
      }
    }
  }

  private static List<Value> run(
      JavaSparkContext spark, String name, Kind kind, String job, Path folder, String mark)
      throws IOException {
    var program = "entry main [n] (xs: [n]i64) = " + kind.body() + "\n";
    var text =
        new SourceText(ProgramSource.of("main.fut", program), "main", Set.of(0), Backend.JVM);
    var rows = Files.createDirectories(folder.resolve("rows of " + job));
    boolean writes = name.equals("written rows");
    RowSink sink = writes ? new ArrowParts(ResultParts.of(text.plan(), rows)) : RowSink.COLLECT;
    // Without room for shards, each stage reads them.
    var runner = new SparkRunner(spark, new Numbers(name + job, job, mark), 0);
    var engine = new SparkEngine(runner, text, List.of(Cuts.ofRows(ROWS)), sink);
    var arguments = text.plan().arguments(List.of(), List.<Value>of());
    if (!writes) {
      return engine.results(text.plan(), text.caller(1), arguments);
    }
    new PlanRunner(text.plan(), engine, text.caller(1)).run(arguments);
    var written = ArrowDataset.open(rows.resolve("result1").toString());
    return List.of(written.toVector(Prim.I64));
  }
}
