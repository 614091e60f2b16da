package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.arrow.DatasetGenerate;
import dev.kenaz.dataset.RowKind;
import dev.kenaz.dataset.RowKinds;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.Screen;
import dev.kenaz.value.Prim;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes datasets of random rows. */
@Command(
    name = "generate",
    description = "Generates a dataset of random rows; the same seed gives the same rows.")
final class DatasetGenerateCommand implements Callable<Integer> {
  /** The options that every kind has. */
  private static final List<String> COMMON =
      List.of("--rows", "--seed", "--files", "--overwrite", "--quiet");

  /** The options of each kind besides. */
  private static final Map<String, List<String>> OWN =
      Map.of(
          "blobs", List.of("--dimensions", "--type", "--blobs", "--spread", "--separate"),
          "regression", List.of("--dimensions", "--type", "--noise"),
          "classification", List.of("--dimensions", "--type", "--classes"),
          "ratings", List.of("--type", "--users", "--items", "--rank", "--noise"),
          "sequences", List.of("--vocabulary", "--length"),
          "graph", List.of("--nodes", "--exponent"),
          "histogram", List.of("--bins"),
          "sparse", List.of("--type", "--features", "--nonzeros"));

  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "KIND",
      description =
          "What is generated: blobs, regression, classification, ratings, sequences, graph,"
              + " histogram or sparse.")
  private String kind;

  @Parameters(
      index = "1",
      paramLabel = "OUT",
      description = "The file that is written, or a folder of files.")
  private Path target;

  @Option(names = "--overwrite", description = "Replace files that exist already.")
  private boolean overwrite;

  @Option(names = "--quiet", description = "Show no progress.")
  private boolean quiet;

  @InRange(from = 0, to = 1L << 50)
  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Make so many rows, which are edges of a graph (${DEFAULT-VALUE}).")
  private long rows;

  @InRange(from = -InRange.ANY, to = InRange.ANY)
  @Option(
      names = "--seed",
      paramLabel = "INT",
      defaultValue = "1",
      description = "Make the data from this seed (${DEFAULT-VALUE}).")
  private long seed;

  @InRange(from = 1, to = 100_000)
  @Option(
      names = "--files",
      paramLabel = "N",
      defaultValue = "1",
      description = "Divide the rows among so many files of a folder (${DEFAULT-VALUE}).")
  private int files;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      defaultValue = "f32",
      description = "Make numbers of this type: f16, f32 or f64 (${DEFAULT-VALUE}).")
  private String type;

  @InRange(from = 1, to = 1_000_000)
  @Option(
      names = "--dimensions",
      paramLabel = "N",
      defaultValue = "16",
      description =
          "Blobs, regression, classification: give each point so many dimensions"
              + " (${DEFAULT-VALUE}).")
  private int dimensions;

  @InRange(from = 1, to = 10_000_000)
  @Option(
      names = "--blobs",
      paramLabel = "N",
      defaultValue = "16",
      description = "Blobs: make so many (${DEFAULT-VALUE}).")
  private int blobs;

  @InRange(from = 0, to = InRange.ANY)
  @Option(
      names = "--spread",
      paramLabel = "X",
      defaultValue = "1",
      description =
          "Blobs: give each this standard deviation, in each dimension (${DEFAULT-VALUE}).")
  private double spread;

  @Option(
      names = "--separate",
      description = "Blobs: write one column for each dimension, rather than one column of lists.")
  private boolean separate;

  @InRange(from = 0, to = InRange.ANY)
  @Option(
      names = "--noise",
      paramLabel = "X",
      defaultValue = "0.1",
      description = "Regression, ratings: add noise of this standard deviation (${DEFAULT-VALUE}).")
  private double noise;

  @InRange(from = 2, to = 1_000_000)
  @Option(
      names = "--classes",
      paramLabel = "N",
      defaultValue = "2",
      description = "Classification: make so many classes (${DEFAULT-VALUE}).")
  private int classes;

  @InRange(from = 1, to = 1 << 27)
  @Option(
      names = "--users",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Ratings: by so many users (${DEFAULT-VALUE}).")
  private int users;

  @InRange(from = 1, to = 1 << 27)
  @Option(
      names = "--items",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Ratings: of so many items (${DEFAULT-VALUE}).")
  private int items;

  @InRange(from = 1, to = 10_000)
  @Option(
      names = "--rank",
      paramLabel = "N",
      defaultValue = "10",
      description = "Ratings: users and items have so many factors (${DEFAULT-VALUE}).")
  private int rank;

  @InRange(from = 1, to = 1 << 30)
  @Option(
      names = "--vocabulary",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Sequences: of so many different tokens (${DEFAULT-VALUE}).")
  private int vocabulary;

  @InRange(from = 1, to = 1 << 20)
  @Option(
      names = "--length",
      paramLabel = "N",
      defaultValue = "50",
      description = "Sequences: of about this length on average (${DEFAULT-VALUE}).")
  private int length;

  @InRange(from = 1, to = 1L << 40)
  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Graph: of so many nodes (${DEFAULT-VALUE}).")
  private long nodes;

  @InRange(from = 0, to = 10)
  @Option(
      names = "--exponent",
      paramLabel = "X",
      defaultValue = "0.8",
      description =
          "Graph: node i has edges in proportion to i to the negative of this power"
              + " (${DEFAULT-VALUE}).")
  private double exponent;

  @InRange(from = 1, to = 1L << 40)
  @Option(
      names = "--bins",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Histogram: with so many bins (${DEFAULT-VALUE}).")
  private long bins;

  @InRange(from = 2, to = 1L << 40)
  @Option(
      names = "--features",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Sparse: rows of so many features (${DEFAULT-VALUE}).")
  private long features;

  @InRange(from = 1, to = 1 << 20)
  @Option(
      names = "--nonzeros",
      paramLabel = "N",
      defaultValue = "20",
      description = "Sparse: about so many of them aren't zero in a row (${DEFAULT-VALUE}).")
  private int nonzeros;

  @Override
  public Integer call() {
    if (!OWN.containsKey(kind)) {
      throw new UserError(
          K7501,
          "can't generate \"" + kind + "\"",
          NearestName.hintOrFew(kind, RowKinds.names(), "the kinds are"));
    }
    requireOwn();
    DatasetMove.requireArrow(target.toString(), "kenaz dataset export makes other formats of it");
    try (var console = new DatasetConsole(Screen.error(), quiet)) {
      DatasetGenerate.write(made(), target, files, overwrite, console);
      console.clear();
    }
    System.out.printf(Locale.ROOT, "%,d rows of %s: %s%n", rows, kind, target);
    return 0;
  }

  /** Refuses options of other kinds. */
  private void requireOwn() {
    var own = OWN.get(kind);
    for (var option : spec.commandLine().getParseResult().matchedOptionsSet()) {
      var name = option.longestName();
      if (!COMMON.contains(name) && !own.contains(name)) {
        throw new UserError(
            K7501, name + " is not for " + kind, NearestName.hintOrFew(name, own, "it has"));
      }
    }
  }

  private RowKind made() {
    return switch (kind) {
      case "blobs" ->
          new DatasetGenerate.Blobs(rows, dimensions, blobs, seed, spread, type(), !separate);
      case "regression" -> new RowKinds.Regression(rows, seed, dimensions, noise, type());
      case "classification" -> new RowKinds.Classification(rows, seed, dimensions, classes, type());
      case "ratings" -> new RowKinds.Ratings(rows, seed, users, items, rank, noise, type());
      case "sequences" -> new RowKinds.Sequences(rows, seed, vocabulary, length);
      case "graph" -> new RowKinds.Graph(rows, seed, nodes, exponent);
      case "histogram" -> new RowKinds.Histogram(rows, seed, bins);
      case "sparse" -> new RowKinds.Sparse(rows, seed, features, nonzeros, type());
      default -> throw new IllegalStateException(kind);
    };
  }

  private Prim type() {
    return DatasetCommand.prim(type);
  }
}
