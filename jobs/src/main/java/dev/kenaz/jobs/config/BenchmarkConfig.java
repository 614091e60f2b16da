package dev.kenaz.jobs.config;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * A sweep that measures, as {@code configs/schema/benchmark.schema.json} describes it.
 *
 * @param sweeps the names of other such configurations; with them, there are no axes
 * @param axes for each axis the values that it takes
 * @param common settings of all cells
 * @param exclude cells that have all the values of one of these objects are left out
 * @param only if there are any, only cells that have all the values of one of these are taken
 * @param beside cells that differ only in these axes are measured in turns
 * @param ratios for each ratio, what it divides by what
 * @param papers numbers of papers, to be shown beside those that are measured
 * @param where {@code here}, which is the default, or {@code executors}
 * @param output the path of a folder, as the document has it
 */
@JsonIgnoreProperties("$schema")
public record BenchmarkConfig(
    Optional<List<String>> sweeps,
    SequencedMap<String, List<JsonNode>> axes,
    Optional<ObjectNode> common,
    Optional<List<ObjectNode>> exclude,
    Optional<List<ObjectNode>> only,
    Optional<List<String>> beside,
    Optional<Measuring> measure,
    Optional<SequencedMap<String, Peer>> peers,
    Optional<SequencedMap<String, Ratio>> ratios,
    Optional<List<Paper>> papers,
    Optional<String> title,
    Optional<String> where,
    Optional<Spark> spark,
    String output) {
  public BenchmarkConfig {
    axes = axes == null ? new LinkedHashMap<>() : axes;
  }

  /**
   * How carefully cells are measured.
   *
   * @param processes how many processes measure a cell, one after the other
   * @param warmUp for at most how many seconds a process is warmed up
   * @param seconds for at most how many seconds a process is measured
   * @param confidence the half-width of the confidence interval at which a measurement ends, as a
   *     part of the median
   * @param least the least number of samples
   * @param limit how many seconds a call may take
   * @param memory how many bytes a process may take, as {@code 4g}
   * @param together how many processes may live at once
   */
  public record Measuring(
      Optional<Integer> processes,
      @JsonProperty("warm-up") Optional<Double> warmUp,
      Optional<Double> seconds,
      Optional<Double> confidence,
      Optional<Integer> least,
      Optional<Double> limit,
      Optional<String> memory,
      Optional<Integer> together) {}

  /** Spark, for cells that are measured on executors. */
  public record Spark(Optional<String> master) {}

  /**
   * A command that is measured beside Kenaz.
   *
   * @param protocol {@code kenaz}, which null stands for, or {@code futhark}
   * @param check whether its result is compared with that of Kenaz; null stands for true
   */
  public record Peer(List<String> command, String protocol, Boolean check) implements Serializable {
    public boolean isChecked() {
      return check == null || check;
    }

    public boolean speaksFuthark() {
      return "futhark".equals(protocol);
    }
  }

  /** Divides the time of a cell by that of the cell that has another value of an axis. */
  public record Ratio(String of, String to) {}

  /**
   * A number of a paper.
   *
   * @param where the cells that it is about, by their values of some axes
   * @param ratio the name of the ratio that the number is; absent for a time
   * @param value the ratio, or seconds; of a range the least
   * @param to the greatest number of a range
   * @param from where the number stands
   */
  public record Paper(
      ObjectNode where, Optional<String> ratio, double value, Optional<Double> to, String from) {}
}
