package dev.kenaz.jobs.measure;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.SequencedMap;

/**
 * This is what became of a cell: a line of the results. A cell that failed has only what names it,
 * a status and a message.
 *
 * @param cell the name of the cell, the same for the same settings
 * @param axes the value of each axis, as it is called in tables
 * @param settings all settings of the cell
 * @param message why it failed
 * @param seconds the time of a call: the mean of the processes' medians
 * @param low where the 95 % confidence interval of the time begins; it includes the processes'
 *     medians
 * @param high where it ends
 * @param cpu the CPU seconds of the process for each call
 * @param collection the part of the time in which the JVM collected garbage
 * @param compile the seconds that compilation by Kenaz took
 * @param first the seconds of the first call
 * @param warmUp the seconds until the times were steady
 * @param allocated the bytes that a call allocates in Java's heap
 * @param peak the greatest memory of a process in bytes
 * @param work what a call computes and moves; absent unless the cell asks for it
 * @param events how often events of the processor come in a call, such as {@code instructions};
 *     those that the machine counts
 * @param outliers how many samples lie far from the others
 * @param noise why the time may be wrong; empty if nothing speaks against it
 * @param samples the seconds of a call, for each process
 * @param probe the seconds of a fixed computation beside the samples, which tell how fast the
 *     machine was; absent where that wasn't measured
 * @param machine the machine's name
 * @param at when it was measured
 * @param program a digest of the program's text and of what it imports; absent where it isn't known
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Measurement(
    String cell,
    SequencedMap<String, String> axes,
    ObjectNode settings,
    Status status,
    String message,
    Double seconds,
    Double low,
    Double high,
    Double cpu,
    Double collection,
    Double compile,
    Double first,
    Double warmUp,
    Long allocated,
    Long peak,
    CellWork work,
    SequencedMap<String, Double> events,
    Integer outliers,
    List<String> noise,
    List<List<Double>> samples,
    Double probe,
    String machine,
    String at,
    String program)
    implements Serializable {

  /** Says how a cell ended. */
  public enum Status {
    @JsonProperty("done")
    DONE,
    @JsonProperty("failed")
    FAILED,
    /** A call took too long. */
    @JsonProperty("hung")
    HUNG,
    /** The process took too much memory. */
    @JsonProperty("memory")
    MEMORY
  }

  /**
   * Returns what the times of one process say.
   *
   * @param samples the seconds of a call, at least one
   */
  public static Measurement timed(
      String cell,
      SequencedMap<String, String> axes,
      ObjectNode settings,
      List<Double> samples,
      String machine) {
    var median = Statistics.median95(samples);
    return new Measurement(
        cell,
        axes,
        settings,
        Status.DONE,
        null,
        median.middle(),
        median.low(),
        median.high(),
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        Statistics.outliers(samples),
        List.of(),
        List.of(List.copyOf(samples)),
        null,
        machine,
        null,
        null);
  }

  static Measurement failed(
      BenchmarkCell cell, Status status, String message, String machine, String at) {
    return failed(cell.name(), cell.axes(), cell.settings(), status, message, machine, at);
  }

  /** Returns what says that a cell has no time. */
  public static Measurement failed(
      String cell,
      SequencedMap<String, String> axes,
      ObjectNode settings,
      Status status,
      String message,
      String machine,
      String at) {
    return new Measurement(
        cell, axes, settings, status, message, null, null, null, null, null, null, null, null, null,
        null, null, null, null, null, null, null, machine, at, null);
  }

  /** Returns the same, of a program with this digest. */
  Measurement of(String program) {
    return new Measurement(
        cell,
        axes,
        settings,
        status,
        message,
        seconds,
        low,
        high,
        cpu,
        collection,
        compile,
        first,
        warmUp,
        allocated,
        peak,
        work,
        events,
        outliers,
        noise,
        samples,
        probe,
        machine,
        at,
        program);
  }

  @JsonIgnore
  public boolean isDone() {
    return status == Status.DONE;
  }

  /** Returns the median of each process. */
  List<Double> medians() {
    return samples.stream().map(Statistics::median).toList();
  }

  /** Returns the half-width of the confidence interval as a part of the time. */
  double margin() {
    return (high - low) / 2 / seconds;
  }

  /** Returns by how much the slowest process is slower than the fastest, as a part. */
  static double spread(List<Double> medians) {
    var sorted = Statistics.sorted(new ArrayList<>(medians));
    return sorted[sorted.length - 1] / sorted[0] - 1;
  }
}
