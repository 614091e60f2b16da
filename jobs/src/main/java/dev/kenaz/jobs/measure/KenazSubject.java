package dev.kenaz.jobs.measure;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.jobs.measure.Measurement.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Speaks the protocol of Kenaz with a worker of Kenaz or with a peer. */
final class KenazSubject implements Subject {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final WatchedProcess process;
  private final Duration limit;
  private final double compileSeconds;

  /**
   * Starts the process and waits until it is ready.
   *
   * @param first a line that is sent first
   * @param start how long the process may take to be ready
   * @param limit how long a call may take
   * @param memory how many bytes the process may take
   */
  KenazSubject(
      ProcessBuilder command, Optional<String> first, Duration start, Duration limit, long memory) {
    this.limit = limit;
    process = new WatchedProcess(command, memory);
    try {
      first.ifPresent(process::send);
      compileSeconds = answer(start).path("compile").asDouble(Double.NaN);
    } catch (Failed e) {
      process.close();
      throw e;
    }
  }

  private JsonNode answer(Duration within) {
    var line = process.answer(within);
    try {
      var answer = JSON.readTree(line);
      if (answer.isObject() && !answer.has("error")) {
        return answer;
      }
      throw new Failed(Status.FAILED, answer.path("error").asText("unexpected answer: " + line));
    } catch (JsonProcessingException e) {
      throw new Failed(Status.FAILED, "its process says: " + line);
    }
  }

  @Override
  public double compileSeconds() {
    return compileSeconds;
  }

  @Override
  public Run run(long n) {
    process.send("run " + n);
    var answer = answer(limit);
    double seconds = answer.path("seconds").asDouble(Double.NaN);
    if (!(seconds >= 0)) {
      throw new Failed(Status.FAILED, "the answer to run has no \"seconds\": " + answer);
    }
    return new Run(
        seconds,
        answer.path("cpu").asDouble(Double.NaN),
        answer.path("collection").asDouble(0),
        answer.path("jit").asDouble(0),
        answer.path("allocated").asLong(0),
        events(answer.path("events")));
  }

  private static Map<String, Long> events(JsonNode counts) {
    var events = new LinkedHashMap<String, Long>();
    counts.properties().forEach(e -> events.put(e.getKey(), e.getValue().asLong()));
    return events;
  }

  /** An error as answer means that a peer has no such command. */
  @Override
  public boolean result(Path file) {
    process.send("result " + file);
    try {
      return JSON.readTree(process.answer(limit)).has("written");
    } catch (JsonProcessingException e) {
      return false;
    }
  }

  /**
   * Returns how much a call computes and moves, as far as the process can tell.
   *
   * @param count whether operations are counted, which takes long
   */
  CellWork work(boolean count) {
    process.send("work " + (count ? CellWork.COUNT : "bytes"));
    return JSON.convertValue(answer(limit), CellWork.class);
  }

  /** Writes the arguments of the function into a file. */
  void arguments(Path file) {
    process.send("arguments " + file);
    answer(limit);
  }

  @Override
  public long peak() {
    return process.peak();
  }

  @Override
  public void close() {
    process.send("quit");
    process.close();
  }
}
