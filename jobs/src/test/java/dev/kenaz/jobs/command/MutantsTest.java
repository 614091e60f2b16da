package dev.kenaz.jobs.command;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.arrow.DatasetGenerate;
import dev.kenaz.arrow.Progress;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.jobs.Main;
import dev.kenaz.value.ArrayBuilder;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damaged programs, configurations and data: every command ends soon, with a status that blames the
 * input, and without a stack trace.
 *
 * <p>{@code -Dkenaz.mutants=2000} tries so many, {@code -Dkenaz.mutants.seed} others; a failure
 * names the mutant's number, which {@code -Dkenaz.mutants.first} begins with.
 */
final class MutantsTest {
  private static final int COUNT = Integer.getInteger("kenaz.mutants", 120);
  private static final int FIRST = Integer.getInteger("kenaz.mutants.first", 0);
  private static final long SEED = Long.getLong("kenaz.mutants.seed", 1);
  private static final Set<Integer> STATUSES =
      Set.of(ExitStatus.OK, ExitStatus.USER_ERROR, ExitStatus.LIMITATION, ExitStatus.USAGE);

  /** Milliseconds that a command may take on a busy machine. */
  private static final long PATIENCE = 120_000;

  /** Kibibytes that all of them may take in memory at a time. */
  private static final long MEMORY = 4L << 20;

  @TempDir Path folder;
  private final List<Subject> subjects = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  /**
   * A file to be damaged.
   *
   * @param name what the damaged one is called
   * @param commands to be run on it; {@code @} stands for its path
   */
  private record Subject(String name, byte[] whole, boolean text, List<List<String>> commands) {}

  private static List<String> words(String line) {
    return List.of(line.split(" "));
  }

  @BeforeEach
  void makeSubjects() throws IOException {
    programs();
    configurations();
    var blobs = new DatasetGenerate.Blobs(300, 3, 2, 1, 1, Prim.F64, true);
    DatasetGenerate.write(blobs, folder.resolve("list.arrow"), 1, false, Progress.NONE);
    ArrowOutput.write(folder.resolve("kinds.arrow"), kinds(), false);
    for (var name : List.of("list.arrow", "kinds.arrow")) {
      add(name, false, "dataset inspect @", "dataset export @ -", "dataset import @ OUT");
    }
    add("list.arrow", false, "dataset export @ - --columns x,blob --drop-nulls");
    csv();
    for (var codec : List.of(CompressionCodecName.UNCOMPRESSED, CompressionCodecName.SNAPPY)) {
      parquet(codec);
      add(codec + ".parquet", false, "dataset import @ OUT --overwrite --missing drop");
    }
    values();
  }

  private void add(String name, boolean text, String... commands) throws IOException {
    var lines = new ArrayList<List<String>>();
    for (var c : commands) {
      lines.add(words(c.replace("OUT", folder + "/written.arrow")));
    }
    subjects.add(new Subject("m-" + name, Files.readAllBytes(folder.resolve(name)), text, lines));
  }

  private void programs() throws IOException {
    var all = Path.of("../core-compiler/src/test/resources/programs");
    try (var files = Files.walk(all)) {
      var small =
          files
              .filter(f -> f.toString().endsWith(".fut"))
              .filter(f -> f.toFile().length() < 2500)
              .sorted()
              .toList();
      for (int i = 0; i < small.size(); i += 1 + small.size() / 40) {
        var name = "p" + i + ".fut";
        Files.copy(small.get(i), folder.resolve(name));
        add(
            name,
            true,
            "check @",
            "dev --after flatten @",
            "dev --backend cuda --after cuda @",
            "fmt @");
        add(name, true, "eval -f @ 1i32", "doc -o " + folder + "/doc @");
      }
    }
  }

  /** With a model in the output folder, a configuration that is right ends there, before Spark. */
  private void configurations() throws IOException {
    var blobs = new DatasetGenerate.Blobs(50, 2, 2, 1, 1, Prim.F32, false);
    DatasetGenerate.write(blobs, folder.resolve("data.arrow"), 1, false, Progress.NONE);
    var job =
        """
        {
          "data": { "path": "data.arrow", "columns": { "points": ["x0", "x1"] }, "nulls": "drop" },
          "program": "builtin:kmeans",
          "parameters": { "k": 2 },
          "init": { "rows": 20 },
          "seed": 7,
          "optimiser": { "name": "adam", "rate": 0.5, "beta1": 0.9, "epsilon": 1e-8 },
          "iterations": 3,
          "tolerance": 1e-3,
          "checkpoint": { "every": 2 },
          "spark": { "master": "local[1]", "partitions": 2, "backend": "jvm" },
          "output": "out"
        }
        """;
    Files.writeString(folder.resolve("job.json"), job);
    Files.createDirectories(folder.resolve("out"));
    var model =
        """
        {
          "kenaz": "1", "type": "[][]f32",
          "parts": [{ "name": "model", "type": "f32", "shape": [2, 2] }], "loss": 2.5,
          "metrics": {}, "iterations": 3, "rows": 50, "losses": [4.0, 3.0, 2.75, 2.5],
          "seconds": [0.1, 0.1, 0.1, 0.1], "root": "kmeans.fut", "program": { "kmeans.fut": "" },
          "config": %s, "folder": "/"
        }
        """
            .formatted(job);
    Files.writeString(folder.resolve("out/model.json"), model);
    Files.writeString(folder.resolve("out/results.json"), "[]");
    add("job.json", true, "train @");
    add("job.json", true, "train @");
    Files.writeString(
        folder.resolve("sweep.json"),
        """
        {
          "job": "job.json",
          "grid": { "parameters.k": [2, 3], "init": [{ "rows": 30 }], "tolerance": [0, 0.5] },
          "output": "out"
        }
        """);
    add("sweep.json", true, "sweep @");
    // The model as it is found by --resume; its folder is the mutant's.
    Files.createDirectories(folder.resolve("resumed"));
    Files.writeString(folder.resolve("resume.json"), job.replace("\"out\"", "\"resumed\""));
    Files.writeString(folder.resolve("model.json"), model);
    subjects.add(
        new Subject(
            "resumed/model.json",
            model.getBytes(StandardCharsets.UTF_8),
            true,
            List.of(List.of("train", "--resume", folder.resolve("resume.json").toString()))));
  }

  private static LinkedHashMap<String, ArrayValue> kinds() {
    var columns = new LinkedHashMap<String, ArrayValue>();
    for (var type : Prim.values()) {
      var array = ArrayValue.ofDoubles(Prim.F64, new double[] {0, 1, 1, 0, 1}, 5);
      var bits = new ArrayBuilder(type, 5);
      for (int i = 0; i < 5; i++) {
        bits.add(type.fromDouble(array.toDoubleArray()[i]));
      }
      columns.put(type.text(), bits.build());
    }
    return columns;
  }

  private void csv() throws IOException {
    var text = new StringBuilder("a,b,\"c d\",e\n");
    for (int i = 0; i < 40; i++) {
      text.append(i).append(',').append(i / 4.0).append(",true,").append(-i).append("e-3\n");
    }
    Files.writeString(folder.resolve("d.csv"), text);
    try (var out = new GZIPOutputStream(Files.newOutputStream(folder.resolve("d.csv.gz")))) {
      out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    }
    add("d.csv", true, "dataset import @ OUT --overwrite");
    add(
        "d.csv",
        true,
        "dataset import @ OUT --overwrite --missing nan --types a=i8 --lists l=a:b",
        "dataset import @ OUT --overwrite --no-header --type f64 --missing drop");
    add("d.csv.gz", false, "dataset import @ OUT --overwrite");
  }

  private void parquet(CompressionCodecName codec) throws IOException {
    var schema =
        MessageTypeParser.parseMessageType(
            """
            message sample {
              required int32 id;
              optional double x;
              required int32 small (INTEGER(8, false));
              required int64 big;
              required float f;
              required boolean even;
            }
            """);
    try (var out =
        ExampleParquetWriter.builder(new LocalOutputFile(folder.resolve(codec + ".parquet")))
            .withConf(new PlainParquetConfiguration())
            .withType(schema)
            .withCompressionCodec(codec)
            .build()) {
      var groups = new SimpleGroupFactory(schema);
      for (int i = 0; i < 200; i++) {
        var g = groups.newGroup();
        g.add("id", i);
        if (i % 50 != 7) {
          g.add("x", i / 4.0);
        }
        g.append("small", i % 256).append("big", (long) i << 40).append("f", i / 2f);
        g.append("even", i % 2 == 0);
        out.write(g);
      }
    }
  }

  private void values() throws IOException {
    var program =
        Files.writeString(
            folder.resolve("id.fut"),
            "entry main [n][m] (a: [n][m]f32) (b: i8) (c: [n]bool) = (a, b, c)\n");
    var text = "[[1.5f32, f32.nan], [-0x1p3f32, 2]] 7i8 [true, false]\n";
    Files.writeString(folder.resolve("v.in"), text);
    add("v.in", true, "run --backend interpret --input @ " + program);
    add("v.in", true, "dataset -b -g [3]i32", "run --backend interpret --input @ " + program);
  }

  @Test
  void damagedInputIsTheInputsFault() throws Exception {
    var outcomes = new TreeMap<String, Integer>();
    for (int i = FIRST; i < FIRST + COUNT && failures.size() < 20; i++) {
      var random = new SplittableRandom(SEED * 1_000_003 + i);
      // Half of them are programs, of which there are many.
      boolean program = random.nextBoolean();
      var kind = subjects.stream().filter(s -> s.name().endsWith(".fut") == program).toList();
      var subject = kind.get(random.nextInt(kind.size()));
      var bytes = new Mutation(random).of(subject.whole(), subject.text());
      var file = Files.write(folder.resolve(subject.name()), bytes);
      for (var command : subject.commands()) {
        var line = command.stream().map(w -> w.equals("@") ? file.toString() : w).toList();
        outcomes.merge(line.getFirst() + " " + outcome(i, line, bytes), 1, Integer::sum);
      }
    }
    System.out.println("mutants: " + outcomes);
    assertTrue(failures.isEmpty(), () -> String.join("\n", failures));
  }

  private int outcome(int number, List<String> line, byte[] mutant) throws Exception {
    var ended = run(line);
    boolean fine =
        STATUSES.contains(ended.status())
            && !ended.err().contains("\tat ")
            && !ended.err().contains("Exception")
            && !ended.err().contains("K5900");
    if (!fine) {
      var kept = Files.createDirectories(Path.of("target/mutants")).resolve("" + number);
      Files.write(kept, mutant);
      failures.add("mutant " + number + ", kept in " + kept + ": " + line + ended);
    }
    assertTrue(peakMemory() < MEMORY, () -> "mutant " + number + " takes too much memory: " + line);
    return ended.status();
  }

  private record Ended(int status, String err) {}

  private static Ended run(List<String> line) throws Exception {
    var err = new ByteArrayOutputStream();
    var stdout = System.out;
    var stderr = System.err;
    var status = new int[] {-1};
    System.setOut(new PrintStream(OutputStream.nullOutputStream()));
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    try {
      var worker =
          new Thread(null, () -> status[0] = Main.run(line.toArray(String[]::new)), "w", 64 << 20);
      worker.start();
      worker.join(PATIENCE);
      if (worker.isAlive()) {
        return new Ended(-1, " doesn't end:\n" + List.of(worker.getStackTrace()));
      }
    } finally {
      System.setOut(stdout);
      System.setErr(stderr);
    }
    return new Ended(status[0], " " + err.toString(StandardCharsets.UTF_8));
  }

  /** Kibibytes; 0 where the system doesn't tell. */
  private static long peakMemory() throws IOException {
    var status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return 0;
    }
    try (var lines = Files.lines(status)) {
      return lines
          .filter(l -> l.startsWith("VmHWM:"))
          .mapToLong(l -> Long.parseLong(l.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    }
  }
}
