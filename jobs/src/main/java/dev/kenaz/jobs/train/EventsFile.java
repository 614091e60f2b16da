package dev.kenaz.jobs.train;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.kenaz.jobs.HiddenText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Writes each event into a file as it comes. The file is begun with the first iteration, so that a
 * training that fails before leaves nothing. Where a model is to be replaced, it has the name of a
 * draft until {@link #take}.
 */
final class EventsFile implements Consumer<TrainEvent>, AutoCloseable {
  static final ObjectMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private final OutputFolder folder;
  private final Path file;
  private boolean draft;
  private final List<byte[]> waiting = new ArrayList<>();
  private OutputStream out;

  private EventsFile(OutputFolder folder, boolean draft) {
    this.folder = folder;
    this.file = folder.path().resolve(OutputFolder.EVENTS);
    this.draft = draft;
  }

  /**
   * Makes a file of events.
   *
   * @param draft whether there may be a model that is not replaced yet
   */
  static EventsFile of(OutputFolder folder, boolean draft) {
    return new EventsFile(folder, draft);
  }

  private Path draft() {
    return folder.path().resolve(OutputFolder.draft(OutputFolder.EVENTS));
  }

  @Override
  public void accept(TrainEvent event) {
    try {
      switch (event) {
        case TrainEvent.Model _, TrainEvent.OfModel _ -> {}
        case TrainEvent.Resumed r -> {
          goOn();
          write(r);
        }
        case TrainEvent.Iteration i -> {
          begin();
          write(i);
        }
        case TrainEvent.Started _,
            TrainEvent.Job _,
            TrainEvent.Data _,
            TrainEvent.Fit _,
            TrainEvent.Checkpoint _,
            TrainEvent.Note _,
            TrainEvent.Warning _,
            TrainEvent.Ended _,
            TrainEvent.Failed _ ->
            write(event);
      }
    } catch (IOException e) {
      throw folder.failed("write " + file, e);
    }
  }

  private void write(TrainEvent event) throws IOException {
    var bytes = (line(event) + "\n").getBytes(StandardCharsets.UTF_8);
    if (out == null) {
      waiting.add(bytes);
    } else {
      out.write(bytes);
    }
  }

  /** Returns an event as the file would have it: without texts that are hidden. */
  static Optional<TrainEvent> hidden(TrainEvent event) throws IOException {
    return event(line(event));
  }

  private static String line(TrainEvent event) throws IOException {
    var line = JSON.createObjectNode().put("at", Instant.now().toString());
    line.setAll((ObjectNode) JSON.valueToTree(event));
    line.properties()
        .forEach(
            p -> {
              if (p.getValue().isTextual()) {
                p.setValue(TextNode.valueOf(HiddenText.without(p.getValue().asText())));
              }
            });
    return JSON.writeValueAsString(line);
  }

  private void begin() throws IOException {
    if (out == null) {
      open(Files.newOutputStream(draft ? draft() : file));
    }
  }

  /** Goes on behind the last whole line. */
  private void goOn() throws IOException {
    try (var channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      var there = Files.readAllBytes(file);
      int end = there.length;
      while (end > 0 && there[end - 1] != '\n') {
        end--;
      }
      channel.truncate(end);
    }
    open(Files.newOutputStream(file, StandardOpenOption.APPEND));
  }

  private void open(OutputStream opened) throws IOException {
    out = opened;
    for (var bytes : waiting) {
      out.write(bytes);
    }
    waiting.clear();
  }

  /** Gives the file its name, now that there is nothing else of that name. */
  void take() {
    try {
      if (draft && out != null) {
        Files.move(draft(), file, StandardCopyOption.ATOMIC_MOVE);
      }
      draft = false;
    } catch (IOException e) {
      throw folder.failed("write " + file, e);
    }
  }

  @Override
  public void close() {
    try {
      if (out != null) {
        out.close();
      }
      if (draft) {
        Files.deleteIfExists(draft());
      }
    } catch (IOException e) {
      throw folder.failed("write " + file, e);
    }
  }

  /**
   * Reads the events of a folder; empty if there is no file. What a resumed training has done again
   * is left out of what was before, and a line that a killed training has not finished is left out.
   */
  static List<TrainEvent> read(Path folder) throws IOException {
    var file = folder.resolve(OutputFolder.EVENTS);
    var events = new ArrayList<TrainEvent>();
    if (Files.exists(file)) {
      var text = Files.readString(file);
      var whole = text.substring(0, text.lastIndexOf('\n') + 1);
      for (var line : whole.lines().toList()) {
        var event = event(line);
        if (event.orElse(null) instanceof TrainEvent.Resumed(int from)) {
          events.removeIf(e -> isAfter(e, from));
        }
        event.ifPresent(events::add);
      }
    }
    return events;
  }

  /** Returns the event of a line, if it is one that this version knows. */
  private static Optional<TrainEvent> event(String line) {
    try {
      return Optional.of(JSON.readValue(line, TrainEvent.class));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private static boolean isAfter(TrainEvent event, int iteration) {
    return switch (event) {
      case TrainEvent.Iteration i -> i.iteration() > iteration;
      case TrainEvent.Checkpoint c -> c.iteration() > iteration;
      case TrainEvent.Ended _, TrainEvent.Failed _, TrainEvent.Data _, TrainEvent.Fit _ -> true;
      case TrainEvent.Started _,
          TrainEvent.Job _,
          TrainEvent.Resumed _,
          TrainEvent.Note _,
          TrainEvent.Warning _,
          TrainEvent.Model _,
          TrainEvent.OfModel _ ->
          false;
    };
  }
}
