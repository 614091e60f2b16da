package dev.kenaz.jobs.config;

import static dev.kenaz.error.ErrorCode.K7003;
import static dev.kenaz.error.ErrorCode.K7004;
import static dev.kenaz.error.ErrorCode.K7005;
import static dev.kenaz.error.ErrorCode.K7006;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.ValidationMessage;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.Span;
import java.util.ArrayList;
import java.util.List;

/** Puts the faults that the schema validator has found into words for users. */
final class SchemaFault {
  private SchemaFault() {}

  static Diagnostic explain(ValidationMessage m, JsonNode schema, JsonNode document, String name) {
    var at = name + ": " + m.getInstanceLocation();
    var value = m.getInstanceNode();
    var rule = ruleNode(m, schema);
    return switch (m.getType()) {
      case "additionalProperties" -> unknownKey(m, at, rule);
      case "required" ->
          fault(K7005, at + " lacks the key \"" + m.getProperty() + "\"", describe(rule, m));
      case "type" ->
          fault(
              K7004,
              at + " must be " + types(rule.path("type")) + ", but is " + show(value),
              meaning(m, rule));
      case "enum" ->
          fault(
              K7006,
              at + " is " + show(value) + ", which is not one of " + list(texts(rule.path("enum"))),
              nearest(value.asText(), texts(rule.path("enum"))));
      default -> fault(K7006, at + " " + m.getError() + "; it is " + show(value), meaning(m, rule));
    };
  }

  private static Diagnostic unknownKey(ValidationMessage m, String at, JsonNode rule) {
    var known = new ArrayList<String>();
    rule.path("properties").fieldNames().forEachRemaining(known::add);
    known.remove("$schema");
    return fault(
        K7003,
        at + " has an unknown key \"" + m.getProperty() + "\"",
        nearest(m.getProperty(), known));
  }

  /** Returns what the key is for. */
  private static String meaning(ValidationMessage m, JsonNode rule) {
    var text = rule.path("description").asText();
    return text.isEmpty() ? "" : m.getInstanceLocation().getName(-1) + ": " + text;
  }

  private static String nearest(String written, List<String> names) {
    return String.join("", NearestName.hintOrFew(written, names, "there are:"));
  }

  private static String describe(JsonNode rule, ValidationMessage m) {
    var text = rule.path("properties").path(m.getProperty()).path("description").asText();
    return text.isEmpty() ? "" : m.getProperty() + ": " + text;
  }

  private static Diagnostic fault(ErrorCode code, String message, String... hints) {
    var said = List.of(hints).stream().filter(h -> !h.isEmpty()).toList();
    return new Diagnostic(code, Span.NONE, message, said);
  }

  /** The schema node whose keyword was violated. */
  private static JsonNode ruleNode(ValidationMessage m, JsonNode schema) {
    var node = schema;
    var path = m.getEvaluationPath();
    for (int i = 0; i < path.getNameCount() - 1; i++) {
      var name = path.getName(i);
      node =
          node.isArray()
              ? node.path(Integer.parseInt(name))
              : name.equals("$ref")
                  ? schema.at(node.path(name).asText().substring(1))
                  : node.path(name);
    }
    return node;
  }

  private static List<String> texts(JsonNode array) {
    var list = new ArrayList<String>();
    array.forEach(n -> list.add(n.asText()));
    return list;
  }

  private static String list(List<String> names) {
    return String.join(", ", names.stream().map(n -> "\"" + n + "\"").toList());
  }

  private static String types(JsonNode type) {
    return type.isArray()
        ? String.join(" or ", texts(type).stream().map(SchemaFault::article).toList())
        : article(type.asText());
  }

  private static String article(String type) {
    return switch (type) {
      case "array", "integer", "object" -> "an " + type;
      default -> "a " + type;
    };
  }

  private static String show(JsonNode value) {
    var text = String.valueOf(value);
    return text.length() <= 40 ? text : text.substring(0, 37) + "...";
  }
}
