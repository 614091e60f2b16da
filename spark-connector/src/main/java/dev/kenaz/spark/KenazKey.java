package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K8207;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.network.util.JavaUtils;

/**
 * The keys of Kenaz in Spark's configuration. There are no others: what else begins with {@code
 * spark.kenaz.} is an error, so that a misspelled key doesn't go unnoticed.
 */
public enum KenazKey {
  /** How many bytes of loaded rows an executor keeps. */
  CACHE(
      "cache",
      Type.SIZE,
      "half of the executor's memory",
      "so many bytes of loaded rows are kept in an executor between computations; what is more is"
          + " read again"),

  /** How many bytes of native memory arrays take in an executor. */
  MEMORY(
      "memory",
      Type.SIZE,
      "what the overhead memory has left",
      "so much native memory may be taken by the arrays of an executor, all its tasks together; on"
          + " YARN and Kubernetes it has to fit `spark.executor.memoryOverhead`"),

  /** How many tasks compute on a GPU at once. */
  GPU_TASKS(
      "gpu.tasks",
      Type.COUNT,
      "2",
      "so many tasks of an executor may compute on one GPU at once; the others wait, the first one"
          + " first"),

  /** How much of a GPU a task asks for. */
  GPU_AMOUNT(
      "gpu.amount",
      Type.AMOUNT,
      "one part of `gpu.tasks`",
      "a task of a stage that computes on GPUs asks Spark for so much of one, where"
          + " `spark.task.resource.gpu.amount` isn't set; `0.5` lets two tasks share a GPU"),

  /** How executors that are asked for find their GPUs. */
  GPU_DISCOVERY_SCRIPT(
      "gpu.discoveryScript",
      Type.TEXT,
      "`spark.executor.resource.gpu.discoveryScript`",
      "finds the GPUs of executors that Kenaz asks for by dynamic allocation"),

  /** Whether executors without a GPU compute what is meant for GPUs. */
  GPU_FALLBACK(
      "gpu.fallback",
      Type.FLAG,
      "false",
      "executors that find no GPU compute on their processors what `\"backend\": \"cuda\"` means"
          + " for GPUs; a configuration says the same by `\"fallback\": true`"),

  /** Where executors keep compiled kernels. */
  KERNELS(
      "kernels",
      Type.TEXT,
      "`KENAZ_CACHE` of the executor, or `~/.cache/kenaz`",
      "executors keep compiled kernels for GPUs in this folder"),

  /** Where the rows of estimators are copied. */
  COPY(
      "copy",
      Type.TEXT,
      "Java's temporary folder, if Spark runs on one machine, for rows that have to be copied",
      "estimators copy all rows into this folder, which all executors see under the same path"),

  /** Whether the tasks of a local Spark do several runs. */
  STAY(
      "stay",
      Type.FLAG,
      "true",
      "where Spark is in one process (`local[N]`), tasks wait 20 ms for the next run of the"
          + " same program, which saves what Spark does for a job; its pages show such runs as one"
          + " job"),

  /** Whether Spark's pages have one of Kenaz. */
  UI("ui", Type.FLAG, "true", "Spark's pages have a tab with the trainings of the application");

  static final String PREFIX = "spark.kenaz.";

  /** What a value of a key is. */
  private enum Type {
    SIZE("a size such as 800m or 20g"),
    COUNT("a whole number from 1 on"),
    AMOUNT("a number above 0 and up to 1, or a whole number"),
    FLAG("true or false"),
    TEXT("a text that isn't empty");

    private final String text;

    Type(String text) {
      this.text = text;
    }

    boolean takes(String value) {
      try {
        return switch (this) {
          case SIZE -> JavaUtils.byteStringAsBytes(value) >= 0;
          case COUNT -> Integer.parseInt(value) >= 1;
          case AMOUNT -> isAmount(Double.parseDouble(value));
          case FLAG -> value.equals("true") || value.equals("false");
          case TEXT -> !value.isBlank();
        };
      } catch (IllegalArgumentException _) { // Also of a text that is no number.
        return false;
      }
    }

    private static boolean isAmount(double amount) {
      return amount > 0 && (amount <= 1 || amount == Math.rint(amount) && amount < 1e6);
    }
  }

  private final String key;
  private final Type type;
  private final String usual;
  private final String meaning;

  KenazKey(String name, Type type, String usual, String meaning) {
    this.key = PREFIX + name;
    this.type = type;
    this.usual = usual;
    this.meaning = meaning;
  }

  /** Returns the key as it is written in Spark's configuration. */
  public String key() {
    return key;
  }

  /** Returns the row of the key in the documentation's table. */
  String documentation() {
    return "| `%s` | %s | %s | %s |".formatted(key, type.text, usual, meaning);
  }

  /**
   * Checks all keys of Kenaz in a configuration.
   *
   * @throws UserError K8207 if a key is unknown, a value makes no sense, or executors don't have
   *     the memory that is said
   */
  public static void check(SparkConf conf) {
    var faults = new ArrayList<Diagnostic>();
    var given = new TreeMap<String, String>();
    for (var entry : conf.getAll()) {
      if (entry._1().startsWith(PREFIX)) {
        given.put(entry._1(), entry._2());
      }
    }
    given.forEach((key, value) -> fault(key, value).ifPresent(faults::add));
    if (faults.isEmpty()) {
      ExecutorMemory.fault(conf).ifPresent(faults::add);
    }
    if (!faults.isEmpty()) {
      throw new UserError(faults);
    }
  }

  /**
   * Checks the keys of Kenaz that were set in a session, where only {@link #COPY} has a meaning.
   *
   * @throws UserError K8207 if a key is unknown or without effect, or a value makes no sense
   */
  public static void check(SparkConf application, Map<String, String> session) {
    var faults = new ArrayList<Diagnostic>();
    new TreeMap<>(session)
        .forEach(
            (key, value) -> {
              if (key.startsWith(PREFIX) && !value.equals(application.get(key, null))) {
                fault(key, value)
                    .or(() -> key.equals(COPY.key) ? Optional.empty() : Optional.of(late(key)))
                    .ifPresent(faults::add);
              }
            });
    if (!faults.isEmpty()) {
      throw new UserError(faults);
    }
  }

  private static Diagnostic late(String key) {
    return new Diagnostic(
        K8207,
        Span.NONE,
        "the session sets " + key + ", which holds for a whole application",
        List.of("set it when Spark starts: --conf " + key + "=..."));
  }

  private static Optional<Diagnostic> fault(String key, String value) {
    var known = Stream.of(values()).filter(k -> k.key.equals(key)).findFirst();
    if (known.isEmpty()) {
      var names = Stream.of(values()).map(KenazKey::key).toList();
      var hint = List.of(NearestName.hintOrFew(key, names, "there are:"));
      return Optional.of(
          new Diagnostic(
              K8207,
              Span.NONE,
              "Spark's configuration has " + key + ", which Kenaz" + " doesn't know",
              hint));
    }
    var type = known.get().type;
    return type.takes(value)
        ? Optional.empty()
        : Optional.of(
            new Diagnostic(
                K8207,
                Span.NONE,
                "Spark's configuration has %s=%s".formatted(key, value),
                List.of("write " + type.text)));
  }

  /** Returns the value that is set, if one is. */
  Optional<String> text(SparkConf conf) {
    return conf.contains(key) ? Optional.of(conf.get(key)) : Optional.empty();
  }

  /** Returns a size in bytes, if one is set. */
  Optional<Long> bytes(SparkConf conf) {
    return text(conf).map(JavaUtils::byteStringAsBytes);
  }

  /** Returns a whole number; that of the documentation if none is set. */
  int count(SparkConf conf) {
    return Integer.parseInt(text(conf).orElse(usual));
  }

  /** Returns what is set, or the other value. */
  boolean flag(SparkConf conf) {
    return Boolean.parseBoolean(text(conf).orElse(usual));
  }
}
