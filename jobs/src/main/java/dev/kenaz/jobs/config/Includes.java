package dev.kenaz.jobs.config;

import static dev.kenaz.error.ErrorCode.K7002;
import static dev.kenaz.error.ErrorCode.K7004;
import static dev.kenaz.error.ErrorCode.K7006;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Merges documents with those that they include. Objects are merged key by key, and what stands in
 * the including document counts. A null there removes what is included. A relative path means the
 * folder of the document in which it is written.
 */
final class Includes {
  private static final String KEY = "include";

  /** The job in a sweep. */
  private static final String JOB = "job";

  /** Where a job has paths. */
  private static final List<String> PATHS =
      List.of("program", "data.path", "validation.path", "start.model", "output");

  private static final String BUILTIN = "builtin:";

  private Includes() {}

  /**
   * Reads a document.
   *
   * @param file an absolute path
   * @throws UserError K7006 if a document includes itself
   */
  static JsonNode read(Path file) {
    return read(file, List.of());
  }

  private static JsonNode read(Path file, List<Path> around) {
    var way = new ArrayList<>(around);
    way.add(file);
    if (around.contains(file)) {
      var shown = way.subList(around.indexOf(file), way.size()).stream();
      throw new UserError(
          K7006,
          file
              + " includes itself: "
              + shown.map(UserPath::name).collect(Collectors.joining(" includes ")));
    }
    var document = ConfigReader.parse(file);
    if (!(document instanceof ObjectNode object)) {
      return document;
    }
    if (object.get(JOB) instanceof ObjectNode job) {
      object.set(JOB, expanded(job, file, way));
    }
    return expanded(object, file, way);
  }

  /** Returns an object of a file with what it includes. */
  private static ObjectNode expanded(ObjectNode object, Path file, List<Path> way) {
    if (!object.has(KEY)) {
      return object;
    }
    var own = object.deepCopy();
    var included = names(own.remove(KEY), file);
    var folder = file.getParent();
    ObjectNode all = own.objectNode();
    for (var name : included) {
      var path = UserPath.in(folder, Environment.resolved(name), K7002);
      if (!(read(path, way) instanceof ObjectNode base)) {
        throw new UserError(K7004, path + " is included in " + file + ", but is no object");
      }
      base.remove("$schema");
      move(base, folder.relativize(path.getParent()));
      merge(all, base);
    }
    merge(all, own);
    return all;
  }

  private static List<String> names(JsonNode include, Path file) {
    var names = new ArrayList<String>();
    var nodes = include.isArray() ? include : new ArrayNode(null, List.of(include));
    for (var n : nodes) {
      if (!n.isTextual()) {
        throw new UserError(
            K7004, file + ": $.include must be the name of a file, or an array of names");
      }
      names.add(n.asText());
    }
    return names;
  }

  private static void merge(ObjectNode into, ObjectNode over) {
    for (var p : over.properties()) {
      var value = p.getValue();
      if (value.isNull()) {
        into.remove(p.getKey());
      } else if (value instanceof ObjectNode object
          && into.get(p.getKey()) instanceof ObjectNode there) {
        merge(there, object);
      } else if (value instanceof ObjectNode object) {
        merge(into.putObject(p.getKey()), object); // A null in it has nothing to remove.
      } else {
        into.set(p.getKey(), value);
      }
    }
  }

  /** Makes paths of a document start from another folder. */
  private static void move(ObjectNode document, Path from) {
    if (from.toString().isEmpty()) {
      return;
    }
    for (var path : PATHS) {
      var keys = path.split("\\.");
      JsonNode at = document;
      for (int i = 0; i < keys.length - 1; i++) {
        at = at.path(keys[i]);
      }
      move(at, keys[keys.length - 1], from);
      move(document.path("grid"), path, from);
    }
    move(document, JOB, from);
    if (document.path(JOB) instanceof ObjectNode job) {
      move(job, from);
    }
  }

  private static void move(JsonNode in, String key, Path from) {
    if (!(in instanceof ObjectNode object)) {
      return;
    }
    switch (object.get(key)) {
      case TextNode t -> object.put(key, moved(t.asText(), from));
      case ArrayNode values -> {
        for (int i = 0; i < values.size(); i++) {
          if (values.get(i).isTextual()) {
            values.set(i, moved(values.get(i).asText(), from));
          }
        }
      }
      case null, default -> {}
    }
  }

  private static String moved(String path, Path from) {
    // A variable may hold an absolute path.
    boolean stays =
        path.startsWith(BUILTIN)
            || TrainConfig.isUri(path)
            || Path.of(Environment.resolved(path)).isAbsolute();
    return stays ? path : from + "/" + path;
  }
}
