package dev.kenaz.jobs.config;

import static dev.kenaz.error.ErrorCode.K7501;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Predicate;

/** Settings that a command line gives over a configuration. */
public final class Settings {
  private Settings() {}

  /** A setting by its path; a null removes it. */
  public record Setting(List<String> path, JsonNode value) {
    /**
     * Reads a setting.
     *
     * @param text such as {@code optimiser.rate=0.1}; what isn't JSON is a string
     * @throws UserError K7501 if there is no path
     */
    public static Setting read(String text) {
      int at = text.indexOf('=');
      var path = at < 0 ? List.<String>of() : List.of(text.substring(0, at).split("\\.", -1));
      if (path.isEmpty() || path.contains("")) {
        throw new UserError(
            K7501, "--set " + text + " names no setting", "write --set optimiser.rate=0.1");
      }
      return new Setting(path, ConfigReader.value(text.substring(at + 1), "--set " + text));
    }

    private Setting below() {
      return new Setting(path.subList(1, path.size()), value);
    }
  }

  /** Returns settings that an object has by their paths. */
  public static List<Setting> all(ObjectNode settings) {
    return settings.properties().stream()
        .map(s -> new Setting(List.of(s.getKey().split("\\.")), s.getValue()))
        .toList();
  }

  /** Returns for each path the values that the setting takes. */
  public static SequencedMap<String, List<JsonNode>> grid(JsonNode written) {
    var grid = new LinkedHashMap<String, List<JsonNode>>();
    for (var setting : written.properties()) {
      grid.put(setting.getKey(), List.copyOf(setting.getValue().valueStream().toList()));
    }
    return grid;
  }

  /**
   * Returns all combinations of settings; the last setting varies fastest. Without settings, there
   * is one combination, of none.
   */
  public static List<ObjectNode> combinations(SequencedMap<String, List<JsonNode>> grid) {
    var all = List.of(JsonNodeFactory.instance.objectNode());
    for (var setting : grid.entrySet()) {
      var next = new ArrayList<ObjectNode>();
      for (var before : all) {
        for (var value : setting.getValue()) {
          next.add(before.deepCopy().set(setting.getKey(), value));
        }
      }
      all = next;
    }
    return all;
  }

  /**
   * Returns some settings as text, such as {@code k=8 seed=1 optimiser=adam,rate=10}.
   *
   * @param which says of a path whether it is shown
   */
  public static String title(ObjectNode settings, Predicate<String> which) {
    var parts = new ArrayList<String>();
    for (var s : settings.properties()) {
      var path = s.getKey();
      if (which.test(path)) {
        parts.add(path.substring(path.lastIndexOf('.') + 1) + "=" + shown(s.getValue()));
      }
    }
    return String.join(" ", parts);
  }

  /**
   * Returns a value without punctuation; of an object with a name, the name comes without its key.
   */
  public static String shown(JsonNode value) {
    if (!value.isObject()) {
      return value.isTextual() ? value.asText() : value.toString();
    }
    List<String> parts =
        value.properties().stream()
            .map(p -> (p.getKey().equals("name") ? "" : p.getKey() + "=") + shown(p.getValue()))
            .toList();
    return String.join(",", parts);
  }

  /** Returns the settings of a part of a document, with their paths from there. */
  public static List<Setting> of(String part, List<Setting> settings) {
    return settings.stream()
        .filter(s -> s.path().size() > 1 && s.path().getFirst().equals(part))
        .map(Setting::below)
        .toList();
  }

  /**
   * Returns a document with other settings.
   *
   * @throws UserError K7501 if a path leads into something that is no object
   */
  public static JsonNode set(JsonNode document, List<Setting> settings) {
    if (settings.isEmpty() || !(document.deepCopy() instanceof ObjectNode all)) {
      return document;
    }
    for (var s : settings) {
      var at = all;
      var way = new ArrayList<String>();
      for (var key : s.path().subList(0, s.path().size() - 1)) {
        way.add(key);
        at =
            switch (at.get(key)) {
              case null -> at.putObject(key);
              case ObjectNode there -> there;
              default ->
                  throw new UserError(
                      K7501,
                      "--set %s: %s is no object"
                          .formatted(String.join(".", s.path()), String.join(".", way)));
            };
      }
      if (s.value().isNull()) {
        at.remove(s.path().getLast());
      } else {
        at.set(s.path().getLast(), s.value());
      }
    }
    return all;
  }
}
