package dev.kenaz.programs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Random expressions that can be differentiated by a vector {@code xs: [n]f64}; {@code is: [n]i64},
 * {@code c: f64} and {@code n} are in scope too. Made from the templates of a resource file.
 *
 * <p>In a template {@code <t>} is an expression of type t, {@code <!t>} a new name of that type
 * ({@code <!_>}: of no type), {@code <1>} the template's first new name; {@code <@>} brings names
 * into scope and {@code <~>} takes the last ones out of it again.
 */
final class RandomDifferentiable {
  /** The types' letters in templates, and how they are written. */
  private static final Map<String, String> TYPES =
      Map.ofEntries(
          Map.entry("r", "f64"),
          Map.entry("i", "i64"),
          Map.entry("z", "i64"),
          Map.entry("b", "bool"),
          Map.entry("v", "[n]f64"),
          Map.entry("m", "[n][n]f64"),
          Map.entry("k", "[n]i64"),
          Map.entry("p", "(f64, f64)"),
          Map.entry("q", "[n](f64, f64)"),
          Map.entry("e", "{a: f64, b: [n]f64}"),
          Map.entry("s", "(#a f64 | #b f64 f64 | #c)"));

  private static final List<String> BOUND = List.of("r", "r", "v", "v", "m", "p", "q", "e", "s");

  /**
   * An expression.
   *
   * @param parts texts and expressions
   */
  record Node(String type, List<Object> parts) {
    String text() {
      var out = new StringBuilder();
      parts.forEach(p -> out.append(p instanceof Node n ? n.text() : p));
      return out.toString();
    }

    int size() {
      return 1 + parts.stream().mapToInt(p -> p instanceof Node n ? n.size() : 0).sum();
    }
  }

  private record Name(String text, String type) {}

  private final Map<String, List<String>> templates;
  private final Random random;
  private final List<Name> scope = new ArrayList<>();
  private int fresh;

  RandomDifferentiable(Map<String, List<String>> templates, long seed) {
    this.templates = templates;
    this.random = new Random(seed * 0x9E3779B97F4A7C15L);
    scope.add(new Name("xs", "v"));
    scope.add(new Name("xs", "v"));
    scope.add(new Name("is", "k"));
    scope.add(new Name("c", "r"));
  }

  /** Templates by type, {@code *} for any: a line with the type's letter starts a type's. */
  static Map<String, List<String>> templates(List<String> lines) {
    var result = new HashMap<String, List<String>>();
    List<String> now = new ArrayList<>();
    for (var line : lines) {
      if (line.length() == 1) {
        now = result.computeIfAbsent(line, _ -> new ArrayList<>());
      } else if (!line.isBlank() && !line.startsWith("--")) {
        now.add(line);
      }
    }
    return result;
  }

  /** A vector of n elements. */
  Node vector(int depth) {
    return exp("v", depth);
  }

  private Node exp(String type, int depth) {
    if (depth <= 0) {
      return leaf(type);
    }
    int choice = random.nextInt(16);
    if (choice == 0) {
      return leaf(type);
    }
    var from = choice <= 3 && !"izk".contains(type) ? templates.get("*") : templates.get(type);
    return fill(type, from.get(random.nextInt(from.size())), depth);
  }

  private Node leaf(String type) {
    var names = scope.stream().filter(v -> v.type().equals(type)).map(Name::text).toList();
    if (!names.isEmpty() && random.nextInt(5) > 0) {
      // later names more often
      int at = Math.max(random.nextInt(names.size()), random.nextInt(names.size()));
      return new Node(type, List.of(names.get(at)));
    }
    return simple(type);
  }

  /** Without free variables but those of the whole expression. */
  Node simple(String type) {
    return new Node(
        type,
        List.of(
            switch (type) {
              case "r" -> "0." + (2 + random.nextInt(8));
              case "i" -> "" + random.nextInt(3);
              case "z" -> "(n - 1)";
              case "b" -> random.nextBoolean() ? "true" : "false";
              case "v" -> "xs";
              case "m" -> "(replicate n xs)";
              case "k" -> "is";
              case "p" -> "(0.7, c)";
              case "q" -> "(zip xs (rotate 1 xs))";
              case "e" -> "{a = c, b = xs}";
              case "s" -> "(#a 0.6 : " + TYPES.get("s") + ")";
              default -> throw new IllegalArgumentException(type);
            }));
  }

  private Node fill(String type, String template, int depth) {
    int mark = scope.size();
    var made = new ArrayList<Name>();
    var marks = new ArrayList<Integer>();
    int shown = 0;
    var parts = new ArrayList<Object>();
    int at = 0;
    for (int open = template.indexOf('<'); open >= 0; open = template.indexOf('<', at)) {
      int close = open + 1;
      while (close < template.length() && template.charAt(close) > ' ' && close < open + 3) {
        if (template.charAt(close) == '>') {
          break;
        }
        close++;
      }
      boolean token =
          close < template.length() && template.charAt(close) == '>' && close > open + 1;
      if (!token) {
        parts.add(template.substring(at, open + 1));
        at = open + 1;
        continue;
      }
      parts.add(template.substring(at, open));
      at = close + 1;
      var word = template.substring(open + 1, close);
      if (word.equals("@")) {
        marks.add(scope.size());
        for (; shown < made.size(); shown++) {
          if (!made.get(shown).type().equals("_")) {
            scope.add(made.get(shown));
          }
        }
      } else if (word.equals("~")) {
        drop(marks.removeLast());
      } else if (Character.isDigit(word.charAt(0))) {
        parts.add(made.get(word.charAt(0) - '1').text());
      } else if (word.charAt(0) == '!') {
        made.add(
            new Name(
                "v" + fresh++, word.equals("!*") ? bound() : word.substring(1).replace("T", type)));
        parts.add(made.getLast().text());
      } else if (word.equals("*")) {
        parts.add(exp(made.getLast().type(), depth - 1));
      } else if (word.equals(":")) {
        parts.add(TYPES.get(made.getLast().type()));
      } else if (word.equals("T:")) {
        parts.add(TYPES.get(type));
      } else {
        parts.add(exp(word.equals("T") ? type : word, depth - 1));
      }
    }
    parts.add(template.substring(at));
    drop(mark);
    return new Node(type, parts);
  }

  private String bound() {
    return BOUND.get(random.nextInt(BOUND.size()));
  }

  private void drop(int mark) {
    while (scope.size() > mark) {
      scope.removeLast();
    }
  }
}
