package dev.kenaz.jobs.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/** Writes measurements in the JSON format of Futhark's benchmark tool. */
public final class BenchReport {
  private sealed interface Result {
    record Measured(Runtimes runtimes) implements Result {}

    record Failed(String message) implements Result {}
  }

  private final SequencedMap<String, SequencedMap<String, Result>> programs = new LinkedHashMap<>();

  /**
   * @param program the program's file, with {@code :entry} for an entry point other than {@code
   *     main}
   */
  public void add(String program, String dataset, Runtimes runtimes) {
    datasets(program).put(dataset, new Result.Measured(runtimes));
  }

  public void fail(String program, String dataset, String message) {
    datasets(program).put(dataset, new Result.Failed(message));
  }

  private Map<String, Result> datasets(String program) {
    return programs.computeIfAbsent(program, _ -> new LinkedHashMap<>());
  }

  public String json() {
    return programs.entrySet().stream()
        .map(
            p ->
                quoted(p.getKey())
                    + ":{\"datasets\":{"
                    + p.getValue().entrySet().stream()
                        .map(d -> quoted(d.getKey()) + ":" + result(d.getValue()))
                        .collect(Collectors.joining(","))
                    + "}}")
        .collect(Collectors.joining(",", "{", "}\n"));
  }

  private static String result(Result result) {
    return switch (result) {
      case Result.Failed(var message) -> quoted(message);
      case Result.Measured(var runtimes) ->
          "{\"bytes\":{},\"runtimes\":"
              + runtimes
                  .micros()
                  .mapToObj(String::valueOf)
                  .collect(Collectors.joining(",", "[", "]"))
              + ",\"stderr\":\"\"}";
    };
  }

  private static String quoted(String text) {
    var out = new StringBuilder("\"");
    text.chars()
        .forEach(
            c -> {
              switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                default -> {
                  if (c < ' ') {
                    out.append("\\u%04x".formatted(c));
                  } else {
                    out.append((char) c);
                  }
                }
              }
            });
    return out.append('"').toString();
  }
}
