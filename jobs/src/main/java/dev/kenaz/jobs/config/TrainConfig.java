package dev.kenaz.jobs.config;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.arrow.ListColumns;
import dev.kenaz.options.Backend;
import dev.kenaz.spark.sql.TableRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;

/**
 * A training job, as {@code configs/schema/train.schema.json} describes it. Absent parts have their
 * defaults.
 *
 * @param program a .fut file, or {@code builtin:} and the name of a program that comes with Kenaz
 * @param parameters the hyperparameters by their names in the program
 * @param start absent if the program's {@code init} gives the first model
 * @param optimiser absent for a program with a step of its own
 * @param iterations how many steps over all rows there are
 * @param batch absent if each step takes all rows
 * @param passes how many passes over all batches there are
 * @param tolerance training ends once the loss changes by less than this fraction of it
 * @param stop absent if a training goes on until its iterations are done
 * @param output the path of a folder, as the document has it
 */
@JsonIgnoreProperties("$schema")
public record TrainConfig(
    String program,
    Data data,
    SequencedMap<String, JsonNode> parameters,
    Init init,
    Optional<Start> start,
    Optional<Optimiser> optimiser,
    Optional<Integer> iterations,
    Optional<Batch> batch,
    Optional<Integer> passes,
    Double tolerance,
    Long seed,
    Optional<Validation> validation,
    Optional<Stop> stop,
    Optional<Models> models,
    Optional<Checkpoint> checkpoint,
    Optional<Report> report,
    String output,
    Spark spark) {

  private static final int ITERATIONS = 20;
  private static final int PASSES = 10;

  public TrainConfig {
    parameters = parameters == null ? new LinkedHashMap<>() : parameters;
    init = init == null ? Init.SAMPLE : init;
    start = start == null ? Optional.empty() : start;
    optimiser = optimiser == null ? Optional.empty() : optimiser;
    iterations = iterations == null ? Optional.empty() : iterations;
    batch = batch == null ? Optional.empty() : batch;
    passes = passes == null ? Optional.empty() : passes;
    tolerance = tolerance == null ? 0 : tolerance;
    seed = seed == null ? 1 : seed;
    validation = validation == null ? Optional.empty() : validation;
    stop = stop == null ? Optional.empty() : stop;
    models = models == null ? Optional.empty() : models;
    checkpoint = checkpoint == null ? Optional.empty() : checkpoint;
    report = report == null ? Optional.empty() : report;
    spark = spark == null ? Spark.EMBEDDED : spark;
  }

  /** Returns how many iterations there are at most, or passes over all batches. */
  public int rounds() {
    return batch.isPresent() ? passes.orElse(PASSES) : iterations.orElse(ITERATIONS);
  }

  /** Whether a path names its file system, as {@code s3a://bucket/file} does. */
  public static boolean isUri(String path) {
    return path.matches("[a-zA-Z][a-zA-Z0-9+.-]+://.*");
  }

  /** Returns the same job for other data, and with another validation. */
  public TrainConfig over(Data other, Optional<Validation> judges) {
    return new TrainConfig(
        program,
        other,
        parameters,
        init,
        start,
        optimiser,
        iterations,
        batch,
        passes,
        tolerance,
        seed,
        judges,
        stop,
        models,
        checkpoint,
        report,
        output,
        spark);
  }

  /**
   * Arrow files, or rows that Spark reads and that are copied into Arrow files first.
   *
   * @param path an Arrow file, a folder of them, or a glob; with a format, what Spark can load
   * @param format one of Spark's, such as {@code parquet}
   * @param options what the format is told
   * @param table a table of Spark's catalog
   * @param sql a query
   * @param copy a folder that all executors see, for the copy
   * @param columns for each parameter that is data, the name of a column or of several
   */
  public record Data(
      Optional<String> path,
      Optional<String> format,
      Map<String, String> options,
      Optional<String> table,
      Optional<String> sql,
      Optional<String> copy,
      SequencedMap<String, JsonNode> columns,
      Nulls nulls,
      Nans nans) {
    public Data {
      path = path == null ? Optional.empty() : path;
      format = format == null ? Optional.empty() : format;
      options = options == null ? Map.of() : options;
      table = table == null ? Optional.empty() : table;
      sql = sql == null ? Optional.empty() : sql;
      copy = copy == null ? Optional.empty() : copy;
      columns = elementsLast(columns);
      nulls = nulls == null ? Nulls.ERROR : nulls;
      nans = nans == null ? Nans.ERROR : nans;
    }

    /** The rows of the data are those of the first columns; elements of lists have other rows. */
    private static SequencedMap<String, JsonNode> elementsLast(
        SequencedMap<String, JsonNode> columns) {
      var ordered = new LinkedHashMap<>(columns);
      for (var name : columns.keySet()) {
        if (ListColumns.hasElements(names(columns.get(name)))) {
          ordered.putLast(name, columns.get(name));
        }
      }
      return ordered;
    }

    /** Returns where the rows are. */
    public TableRows.Source source() {
      return new TableRows.Source(table, sql, format, options, path);
    }

    /** Returns the same columns of Arrow files. */
    public Data at(String files) {
      return new Data(
          Optional.of(files),
          Optional.empty(),
          Map.of(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          columns,
          nulls,
          nans);
    }

    /** Returns the names of a parameter's columns. */
    public List<String> names(String parameter) {
      return names(columns.get(parameter));
    }

    private static List<String> names(JsonNode written) {
      var names = new ArrayList<String>();
      if (written.isTextual()) {
        names.add(written.asText());
      }
      written.forEach(name -> names.add(name.asText()));
      return names;
    }
  }

  /** Says what happens to a row that has a null. */
  public enum Nulls {
    @JsonProperty("error")
    ERROR,
    @JsonProperty("drop")
    DROP
  }

  /** Says what happens to a NaN. */
  public enum Nans {
    @JsonProperty("error")
    ERROR,
    @JsonProperty("keep")
    KEEP
  }

  /**
   * Says which rows {@code init} takes.
   *
   * @param rows a number, or {@code all}
   */
  public record Init(JsonNode rows) {
    static final Init SAMPLE = new Init(com.fasterxml.jackson.databind.node.IntNode.valueOf(1000));

    /** Returns how many rows are drawn; empty if all are taken. */
    public OptionalLong sample() {
      return rows.isTextual() ? OptionalLong.empty() : OptionalLong.of(rows.asLong());
    }
  }

  /**
   * Says with which model the training begins.
   *
   * @param model the path of a model's folder
   */
  public record Start(String model) {}

  /**
   * @param options what the optimiser of that name is told, by name
   */
  public record Optimiser(String name, @JsonAnySetter Map<String, JsonNode> options) {
    public Optimiser {
      options = options == null ? Map.of() : options;
    }
  }

  /**
   * Says which rows a step takes.
   *
   * @param rows how many
   */
  public record Batch(long rows, By by) {
    public Batch {
      by = by == null ? By.SHUFFLE : by;
    }
  }

  /** Says which rows are a batch. */
  public enum By {
    @JsonProperty("shuffle")
    SHUFFLE,
    /** Rows that follow each other. */
    @JsonProperty("window")
    WINDOW
  }

  /**
   * Says which rows judge the model on the way: some of those of the training, or other data with
   * the same columns, which is named as in {@link Data}.
   *
   * @param split the part of the rows that is held back from the training
   * @param folds how many parts of the rows judge, each a model that is trained on the others
   * @param last whether a model of all rows follows those of the folds
   * @param every how many iterations there are from one judgement to the next
   */
  public record Validation(
      Optional<Double> split,
      Optional<String> path,
      Optional<String> format,
      Map<String, String> options,
      Optional<String> table,
      Optional<String> sql,
      Optional<Integer> folds,
      @JsonProperty("final") Boolean last,
      Integer every) {
    public Validation {
      last = last == null || last;
      split = split == null ? Optional.empty() : split;
      path = path == null ? Optional.empty() : path;
      format = format == null ? Optional.empty() : format;
      options = options == null ? Map.of() : options;
      table = table == null ? Optional.empty() : table;
      sql = sql == null ? Optional.empty() : sql;
      folds = folds == null ? Optional.empty() : folds;
      every = every == null ? 1 : every;
    }

    /** Returns where the other data is. */
    public TableRows.Source source() {
      return new TableRows.Source(table, sql, format, options, path);
    }

    /** Whether other data judges the model. */
    public boolean hasOtherData() {
      return source().isTable() || path.isPresent();
    }

    /** Returns the same with Arrow files. */
    public Validation at(String files) {
      return new Validation(split, Optional.of(files), null, null, null, null, folds, last, every);
    }
  }

  /**
   * Says which models are trained, of which the best one is the result.
   *
   * @param restarts how many there are for each combination of the grid, with seeds that follow
   *     each other
   * @param grid the values that settings take, by their paths
   * @param together how many are trained at the same time at most
   */
  public record Models(
      Integer restarts, SequencedMap<String, List<JsonNode>> grid, Integer together) {
    public static final int TOGETHER = 16;

    public Models {
      restarts = restarts == null ? 1 : restarts;
      grid = grid == null ? new LinkedHashMap<>() : grid;
      together = together == null ? TOGETHER : together;
    }
  }

  /**
   * Says when a training ends early. Its best model is the result then.
   *
   * @param metric the loss or a metric, on the validation data if there is any
   * @param patience how many judgements in a row may bring nothing better
   * @param leastChange by how much a number must be better to count as that
   */
  public record Stop(
      String metric,
      Integer patience,
      Goal goal,
      @JsonProperty("least_change") Double leastChange) {
    /** The metric that is the loss. */
    public static final String LOSS = "loss";

    public Stop {
      metric = metric == null ? LOSS : metric;
      patience = patience == null ? 5 : patience;
      goal = goal == null ? Goal.LEAST : goal;
      leastChange = leastChange == null ? 0 : leastChange;
    }
  }

  /** Says which number is the best one. */
  public enum Goal {
    @JsonProperty("least")
    LEAST,
    @JsonProperty("most")
    MOST
  }

  /**
   * @param every how many iterations there are from one checkpoint to the next
   */
  public record Checkpoint(int every) {}

  /**
   * @param label the parameter that has what {@code predict} should give
   */
  public record Report(String label) {}

  /**
   * @param master the Spark master; if it is empty, that of spark-submit, or a Spark in this
   *     process
   * @param partitions the number of shards; if it is empty, as many as there are cores
   * @param backend what runs a program in an executor
   * @param fallback whether executors without a GPU compute on their processors if the backend is
   *     for GPUs
   */
  public record Spark(
      Optional<String> master, Optional<Integer> partitions, Backend backend, boolean fallback) {
    static final Spark EMBEDDED = new Spark(null, null, null, false);

    public Spark {
      master = master == null ? Optional.empty() : master;
      partitions = partitions == null ? Optional.empty() : partitions;
      backend = backend == null ? Backend.JVM : backend;
    }
  }
}
