package dev.kenaz.jobs.measure;

import static dev.kenaz.error.ErrorCode.K7006;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.bench.BenchInputs;
import dev.kenaz.jobs.config.BenchmarkConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Makes the cells of a configuration: all combinations of the values of its axes, less those that
 * are excluded.
 */
final class Cells {
  static final String PEER = "peer";
  static final String KENAZ = "kenaz";
  private static final String NAME = "name";

  /** The settings that have a meaning of their own. */
  static final Set<String> SETTINGS =
      Set.of(
          "program",
          "entry",
          "input",
          "mode",
          "by",
          "backend",
          "cores",
          "device",
          "loop-memory",
          CellWork.OPERATIONS,
          CellWork.BYTES,
          "without",
          "spark",
          "spark-conf",
          "pieces",
          "heap",
          "java",
          PEER);

  private final BenchmarkConfig config;
  private final String file;
  private final Set<String> used = new HashSet<>();

  private Cells(BenchmarkConfig config, String file) {
    this.config = config;
    this.file = file;
  }

  /**
   * Returns the cells in the order of the axes; the last axis varies fastest.
   *
   * @param file the name of the configuration, for messages
   * @param only further conditions, of which a cell must fulfil all: values by axes
   * @throws UserError K7006 if a setting is unknown, or no cell is left
   */
  static List<BenchmarkCell> of(
      BenchmarkConfig config, String file, SequencedMap<String, Set<String>> only) {
    return new Cells(config, file).all(only);
  }

  private UserError fault(String message, String... hints) {
    return new UserError(K7006, file + ": " + message, hints);
  }

  private List<BenchmarkCell> all(SequencedMap<String, Set<String>> only) {
    var conditions =
        Stream.concat(
                config.exclude().orElse(List.of()).stream(),
                config.only().orElse(List.of()).stream())
            .toList();
    conditions.forEach(c -> c.fieldNames().forEachRemaining(this::requireAxis));
    only.keySet().forEach(this::requireAxis);
    config.ratios().ifPresent(all -> all.values().forEach(this::requireBase));
    conditions.forEach(c -> c.properties().forEach(p -> requireValue(p.getKey(), p.getValue())));
    only.forEach((axis, values) -> values.forEach(v -> requireValue(axis, TextNode.valueOf(v))));
    var cells = new ArrayList<BenchmarkCell>();
    for (var c : combinations()) {
      if (only.entrySet().stream().allMatch(o -> o.getValue().contains(c.axes().get(o.getKey())))) {
        cells.add(resolved(c));
      }
    }
    if (cells.isEmpty()) {
      throw fault("no cell is left", "look at exclude, only and --only");
    }
    requireUsed(cells);
    return List.copyOf(cells);
  }

  private void requireBase(BenchmarkConfig.Ratio ratio) {
    requireAxis(ratio.of());
    requireValue(ratio.of(), TextNode.valueOf(ratio.to()));
  }

  private void requireAxis(String axis) {
    if (!config.axes().containsKey(axis)) {
      throw fault(
          "there is no axis " + axis,
          NearestName.hintOrFew(axis, List.copyOf(config.axes().keySet()), "the axes are"));
    }
  }

  private void requireValue(String axis, JsonNode value) {
    var known = config.axes().get(axis).stream().map(Cells::label).toList();
    if (!known.contains(label(value))) {
      throw fault(
          "the axis " + axis + " has no value " + label(value),
          NearestName.hintOrFew(label(value), known, "its values are"));
    }
  }

  /** Returns how a value of an axis is called. */
  private static String label(JsonNode value) {
    return switch (value) {
      case ObjectNode o when o.has(NAME) -> o.get(NAME).asText();
      case TextNode t -> t.asText();
      default -> value.toString();
    };
  }

  private List<BenchmarkCell> combinations() {
    var start = config.common().orElseGet(JsonNodeFactory.instance::objectNode);
    var all = List.of(new BenchmarkCell(new LinkedHashMap<>(), start));
    for (var axis : config.axes().entrySet()) {
      var labels = axis.getValue().stream().map(Cells::label).toList();
      if (Set.copyOf(labels).size() < labels.size()) {
        throw fault("two values of the axis " + axis.getKey() + " have the same name");
      }
      var next = new ArrayList<BenchmarkCell>();
      for (var before : all) {
        axis.getValue().forEach(value -> next.add(with(before, axis.getKey(), value)));
      }
      // Whole parts are left out early, since the product of all axes may be large.
      next.removeIf(c -> config.exclude().orElse(List.of()).stream().anyMatch(e -> has(c, e)));
      all = next;
    }
    var only = config.only().orElse(List.of());
    return only.isEmpty()
        ? all
        : all.stream().filter(c -> only.stream().anyMatch(o -> has(c, o))).toList();
  }

  private BenchmarkCell with(BenchmarkCell cell, String axis, JsonNode value) {
    var axes = new LinkedHashMap<>(cell.axes());
    axes.put(axis, label(value));
    var settings = cell.settings().deepCopy();
    boolean bundle = value instanceof ObjectNode o && o.has(NAME);
    if (!bundle && value.isObject() && !SETTINGS.contains(axis)) {
      throw fault("a value of the axis " + axis + " has no name", "write \"name\": \"...\" in it");
    }
    if (bundle) {
      value.properties().stream()
          .filter(p -> !p.getKey().equals(NAME))
          .forEach(p -> settings.set(p.getKey(), p.getValue()));
    } else {
      settings.set(axis, value);
    }
    return new BenchmarkCell(axes, settings);
  }

  private static boolean has(BenchmarkCell cell, ObjectNode where) {
    return where.properties().stream()
        .allMatch(p -> label(p.getValue()).equals(cell.axes().get(p.getKey())));
  }

  // Variables

  private BenchmarkCell resolved(BenchmarkCell cell) {
    var settings = cell.settings();
    var resolved = settings.objectNode();
    for (var p : settings.properties()) {
      resolved.set(p.getKey(), resolved(p.getValue(), cell, 0));
    }
    return new BenchmarkCell(cell.axes(), resolved);
  }

  private JsonNode resolved(JsonNode value, BenchmarkCell cell, int depth) {
    return switch (value) {
      case TextNode t -> text(t.asText(), cell, depth);
      case ArrayNode a -> {
        var all = a.arrayNode();
        a.forEach(e -> all.add(resolved(e, cell, depth)));
        yield all;
      }
      case ObjectNode o -> {
        var all = o.objectNode();
        o.properties().forEach(p -> all.set(p.getKey(), resolved(p.getValue(), cell, depth)));
        yield all;
      }
      default -> value;
    };
  }

  /** A text that is nothing but a variable becomes its value, so that numbers stay numbers. */
  private JsonNode text(String text, BenchmarkCell cell, int depth) {
    var whole = Variables.only(text).flatMap(name -> variable(name, cell, depth));
    return whole.orElseGet(
        () ->
            TextNode.valueOf(
                Variables.replaced(text, name -> variable(name, cell, depth).map(Cells::label))));
  }

  /**
   * Returns the value of a variable. What has no such name may be something else: a built-in
   * function of a script.
   */
  private Optional<JsonNode> variable(String name, BenchmarkCell cell, int depth) {
    var value = cell.settings().get(name);
    if (value == null && config.axes().containsKey(name)) {
      value = TextNode.valueOf(cell.axes().get(name));
    }
    if (value == null) {
      return Optional.empty();
    }
    if (depth > 10) {
      throw fault("$" + name + " contains itself");
    }
    used.add(name);
    return Optional.of(resolved(value, cell, depth + 1));
  }

  /** A setting that nothing uses is probably a typing mistake. */
  private void requireUsed(List<BenchmarkCell> cells) {
    var commands = config.peers().map(p -> p.values().stream().toList()).orElse(List.of());
    commands.forEach(p -> p.command().forEach(word -> used.addAll(Variables.names(word))));
    for (var c : cells) {
      for (var s : c.settings().properties()) {
        if (!SETTINGS.contains(s.getKey()) && !used.contains(s.getKey())) {
          throw fault(
              "there is no setting " + s.getKey() + ", and nothing uses it as $" + s.getKey(),
              NearestName.hintOrFew(s.getKey(), List.copyOf(SETTINGS), "the settings are"));
        }
      }
      requirePeer(c);
      requireTypes(c);
    }
  }

  /** What variables stand for is known only now. */
  private void requireTypes(BenchmarkCell cell) {
    for (var name : List.of("cores", "device", "loop-memory", "pieces")) {
      var value = cell.settings().path(name);
      if (!value.isMissingNode() && !value.canConvertToInt()) {
        throw fault(cell.title() + ": " + name + " must be an integer, but is " + value);
      }
    }
    var mode = cell.settings().path("mode").asText("value");
    var modes = Arrays.stream(CellProgram.Mode.values()).map(CellProgram.Mode::text).toList();
    if (!modes.contains(mode)) {
      throw fault(
          cell.title() + ": there is no mode " + mode,
          NearestName.hintOrFew(mode, modes, "the modes are"));
    }
    for (var name : List.of("pieces", "spark-conf")) {
      if (cell.settings().has(name) && !cell.settings().has("spark")) {
        throw fault(cell.title() + ": " + name + " is about Spark, which isn't named by spark");
      }
    }
    if (cell.settings().has("spark") && mode.equals("vjp")) {
      throw fault(
          cell.title() + ": vjp over data in pieces needs a seed like the result",
          "gradient does the same for a function whose result is a number");
    }
    var input = cell.settings().path("input");
    if (input.has("suite")) {
      BenchInputs.requireSuite(input.path("suite").asText(), input.path("data").asText());
    }
  }

  private void requirePeer(BenchmarkCell cell) {
    var peers = config.peers().map(p -> List.copyOf(p.keySet())).orElse(List.of());
    if (!cell.peer().equals(KENAZ) && !peers.contains(cell.peer())) {
      throw fault(
          "there is no peer " + cell.peer(),
          NearestName.hintOrFew(cell.peer(), peers, "the peers are"));
    }
    if (!cell.settings().path("program").isTextual()) {
      throw fault(cell.title() + ": the setting program is missing");
    }
  }

  /** Whether a cell of these settings computes on a GPU. */
  static boolean isOnGpu(ObjectNode settings) {
    return settings.path("backend").asText().equals("cuda");
  }
}
