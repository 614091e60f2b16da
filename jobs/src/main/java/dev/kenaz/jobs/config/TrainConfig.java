package dev.kenaz.jobs.config;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.kenaz.options.Backend;
import java.util.List;
import java.util.Optional;

/**
 * A training job, as {@code configs/schema/train.schema.json} describes it. Absent parts have their
 * defaults.
 *
 * @param tolerance training ends once the cost changes by less than this fraction of it
 * @param output the path of a folder, as the document has it
 */
@JsonIgnoreProperties("$schema")
public record TrainConfig(
    Data data,
    Program program,
    Model model,
    Optimiser optimiser,
    Integer iterations,
    Double tolerance,
    Optional<Checkpoint> checkpoint,
    String output,
    Spark spark) {

  public TrainConfig {
    optimiser = optimiser == null ? Optimiser.NEWTON : optimiser;
    iterations = iterations == null ? 20 : iterations;
    tolerance = tolerance == null ? 0 : tolerance;
    checkpoint = checkpoint == null ? Optional.empty() : checkpoint;
    spark = spark == null ? Spark.EMBEDDED : spark;
  }

  /**
   * @param path an Arrow file or a folder of them
   */
  public record Data(String path, List<String> columns, Nulls nulls) {
    public Data {
      columns = List.copyOf(columns);
      nulls = nulls == null ? Nulls.ERROR : nulls;
    }
  }

  /** Says what happens to a row that has a null. */
  public enum Nulls {
    @JsonProperty("error")
    ERROR,
    @JsonProperty("drop")
    DROP
  }

  /**
   * @param file a .fut file or {@code builtin:kmeans}
   * @param objective a function of points and centres
   * @param type f32 or f64
   */
  public record Program(String file, String objective, String type) {
    public Program {
      objective = objective == null ? "cost" : objective;
      type = type == null ? "f32" : type;
    }
  }

  /**
   * @param k how many centres
   */
  public record Model(int k, Init init, Long seed) {
    public Model {
      init = init == null ? Init.PLUS_PLUS : init;
      seed = seed == null ? 1 : seed;
    }
  }

  /** Says how the first centres are chosen. */
  public enum Init {
    @JsonProperty("rows")
    ROWS,
    @JsonProperty("k-means++")
    PLUS_PLUS
  }

  /**
   * @param rate the number by which a step is multiplied
   */
  public record Optimiser(
      OptimiserName name, Double rate, Double beta1, Double beta2, Double epsilon) {
    static final Optimiser NEWTON = new Optimiser(OptimiserName.NEWTON, null, null, null, null);

    public Optimiser {
      rate = rate != null ? rate : name == OptimiserName.NEWTON ? 1 : 0.01;
      beta1 = beta1 == null ? 0.9 : beta1;
      beta2 = beta2 == null ? 0.999 : beta2;
      epsilon = epsilon == null ? 1e-8 : epsilon;
    }
  }

  /** Names how the centres are improved. */
  public enum OptimiserName {
    @JsonProperty("newton")
    NEWTON,
    @JsonProperty("gradient-descent")
    GRADIENT_DESCENT,
    @JsonProperty("adam")
    ADAM
  }

  /**
   * @param every how many iterations there are from one checkpoint to the next
   */
  public record Checkpoint(int every) {}

  /**
   * @param master the Spark master; if it is empty, that of spark-submit, or a Spark in this
   *     process
   * @param partitions the number of shards; if it is empty, as many as there are cores
   * @param backend what runs a program in an executor
   */
  public record Spark(Optional<String> master, Optional<Integer> partitions, Backend backend) {
    static final Spark EMBEDDED = new Spark(null, null, null);

    public Spark {
      master = master == null ? Optional.empty() : master;
      partitions = partitions == null ? Optional.empty() : partitions;
      backend = backend == null ? Backend.JVM : backend;
    }
  }
}
