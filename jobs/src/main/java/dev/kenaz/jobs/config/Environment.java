package dev.kenaz.jobs.config;

import static dev.kenaz.error.ErrorCode.K7006;
import static dev.kenaz.error.ErrorCode.K7007;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.HiddenText;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Puts values of environment variables into texts of a configuration, where {@code ${env:NAME}} or
 * {@code ${env:NAME:-default}} stands. What is printed or written has no such value.
 */
public final class Environment {
  private static final String BEGIN = "${env:";

  private static final Pattern VARIABLE =
      Pattern.compile("\\$\\{env:([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\\}");

  private final UnaryOperator<String> variables;
  private final String name;
  private final List<Diagnostic> faults = new ArrayList<>();

  private Environment(UnaryOperator<String> variables, String name) {
    this.variables = variables;
    this.name = name;
  }

  /**
   * Returns a document with the values in it.
   *
   * @param name of the document, for messages
   * @throws UserError K7007 for each variable that isn't set and has no default
   */
  static JsonNode resolved(JsonNode document, String name) {
    return resolved(document, name, System::getenv);
  }

  static JsonNode resolved(JsonNode document, String name, UnaryOperator<String> variables) {
    var environment = new Environment(variables, name);
    var resolved = environment.resolved(document.deepCopy(), "$", true);
    if (!environment.faults.isEmpty()) {
      throw new UserError(environment.faults);
    }
    return resolved;
  }

  /** Returns a text with the values in it. */
  public static String resolved(String text) {
    return resolved(TextNode.valueOf(text), "", System::getenv).asText();
  }

  private JsonNode resolved(JsonNode node, String path, boolean top) {
    switch (node) {
      case ObjectNode o ->
          o.properties()
              .forEach(p -> p.setValue(resolved(p.getValue(), path + "." + p.getKey(), false)));
      case ArrayNode a -> {
        for (int i = 0; i < a.size(); i++) {
          a.set(i, resolved(a.get(i), path + "[" + i + "]", false));
        }
      }
      case TextNode t when t.asText().contains(BEGIN) -> {
        return TextNode.valueOf(resolved(t.asText(), top ? "" : path));
      }
      default -> {}
    }
    return node;
  }

  private String resolved(String text, String path) {
    var found = VARIABLE.matcher(text);
    var all = new StringBuilder();
    while (found.find()) {
      found.appendReplacement(all, Matcher.quoteReplacement(value(found, path)));
    }
    found.appendTail(all);
    if (text.replaceAll(VARIABLE.pattern(), "").contains(BEGIN)) {
      fault(K7006, path + " has ${env: without a name and a brace behind it", "write ${env:NAME}");
    }
    return all.toString();
  }

  private String value(Matcher found, String path) {
    var variable = found.group(1);
    var value = variables.apply(variable);
    if (value != null && !value.isEmpty()) {
      HiddenText.hide(value, BEGIN + variable + "}");
      HiddenText.hide(asPath(value), BEGIN + variable + "}");
      return value;
    }
    if (found.group(2) == null) {
      fault(
          K7007,
          path + " needs the environment variable " + variable + ", which isn't set",
          "set it, or write a default: ${env:" + variable + ":-default}");
      return "";
    }
    return found.group(3);
  }

  /** Returns the value as messages about files would have it. */
  private static String asPath(String value) {
    try {
      return Path.of(value).normalize().toString().replaceFirst("^(\\.\\./)+", "");
    } catch (InvalidPathException e) {
      return value;
    }
  }

  private void fault(ErrorCode code, String message, String hint) {
    var text = (name.isEmpty() ? "" : name + ": ") + message;
    faults.add(Diagnostic.of(code, Span.NONE, text, hint));
  }
}
