package dev.kenaz.jobs.config;

import static dev.kenaz.error.ErrorCode.K7501;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.List;

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
