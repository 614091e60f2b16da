package dev.kenaz.jobs.measure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.jobs.OwnProcess;
import dev.kenaz.jobs.config.BenchmarkConfig;
import dev.kenaz.options.CompileOptions;
import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/**
 * Starts the processes that call the functions of cells.
 *
 * @param folder the folder from which the paths of settings start
 * @param peers the commands of peers by their names
 * @param device the GPU of cells that name none; {@link CompileOptions#ANY_DEVICE} if any will do
 */
record Starter(
    String folder, LinkedHashMap<String, BenchmarkConfig.Peer> peers, Measuring how, int device)
    implements Serializable {
  /** A process may take so long until it is ready: it compiles, and makes its arguments. */
  private static final Duration START = Duration.ofMinutes(10);

  /** What settings are that nobody gives. */
  private static final ObjectNode DEFAULTS =
      JsonNodeFactory.instance
          .objectNode()
          .put("entry", "main")
          .put("mode", "value")
          .put("cores", 1);

  /** Returns the same for a GPU. */
  Starter onDevice(int number) {
    return new Starter(folder, peers, how, number);
  }

  Subject start(BenchmarkCell cell) {
    return cell.peer().equals(Cells.KENAZ)
        ? kenaz(withDevice(cell.settings()))
        : peer(cell, peers.get(cell.peer()));
  }

  /** Whether the result of the cell is compared with that of Kenaz. */
  boolean isChecked(BenchmarkCell cell) {
    return !cell.peer().equals(Cells.KENAZ) && peers.get(cell.peer()).isChecked();
  }

  private ObjectNode withDevice(ObjectNode settings) {
    return device == CompileOptions.ANY_DEVICE || !Cells.isOnGpu(settings) || settings.has("device")
        ? settings
        : settings.deepCopy().put("device", device);
  }

  private Duration limit() {
    return Duration.ofMillis((long) (how.limit() * 1e3));
  }

  private KenazSubject kenaz(ObjectNode settings) {
    var options = new ArrayList<String>();
    settings.path("java").forEach(o -> options.add(o.asText()));
    if (settings.has("heap")) {
      options.add("-Xmx" + settings.get("heap").asText());
    }
    var command = OwnProcess.java(CellWorker.class, options, List.of(folder));
    return new KenazSubject(
        command, Optional.of(settings.toString()), START, limit(), how.memory());
  }

  private Subject peer(BenchmarkCell cell, BenchmarkConfig.Peer peer) {
    var settings = cell.settings();
    boolean reads =
        peer.speaksFuthark() || peer.command().stream().anyMatch(w -> w.contains("$input"));
    var input = reads ? Optional.of(arguments(settings)) : Optional.<Path>empty();
    try {
      var command = new ProcessBuilder(words(peer, settings, input)).directory(new File(folder));
      return peer.speaksFuthark()
          ? new FutharkSubject(
              command, settings.path("entry").asText("main"), input, START, limit(), how.memory())
          : new KenazSubject(command, Optional.empty(), START, limit(), how.memory());
    } finally {
      input.ifPresent(f -> f.toFile().deleteOnExit()); // The peer may read it later.
    }
  }

  /** Writes the result that a cell should have into a file, by a process of Kenaz. */
  void expected(BenchmarkCell cell, Path file) {
    try (var kenaz = kenaz(plain(cell.settings()))) {
      if (!kenaz.result(file)) {
        throw new Subject.Failed(
            Measurement.Status.FAILED, "Kenaz can't compute the result to compare it with");
      }
    }
  }

  /** Returns the settings without the devices on which a peer may run. */
  private static ObjectNode plain(ObjectNode settings) {
    var plain = settings.deepCopy();
    plain.remove(List.of("backend", "device"));
    return plain;
  }

  /** Writes the arguments of a cell into a file, by a process of Kenaz. */
  private Path arguments(ObjectNode settings) {
    var function = plain(settings);
    function.remove(List.of("mode", "by"));
    try (var kenaz = kenaz(function)) {
      var file = Files.createTempFile("kenaz-arguments", ".bin");
      kenaz.arguments(file);
      return file;
    } catch (IOException e) {
      throw new Subject.Failed(Measurement.Status.FAILED, "can't write the arguments: " + e);
    }
  }

  private List<String> words(BenchmarkConfig.Peer peer, ObjectNode settings, Optional<Path> input) {
    var words = new ArrayList<String>();
    var all = DEFAULTS.deepCopy();
    all.setAll(withDevice(settings));
    input.ifPresent(file -> all.put("input", file.toString()));
    for (var word : peer.command()) {
      words.add(
          Variables.replaced(
              word,
              name ->
                  Optional.ofNullable(all.get(name))
                      .filter(JsonNode::isValueNode)
                      .map(JsonNode::asText)));
    }
    return words;
  }
}
