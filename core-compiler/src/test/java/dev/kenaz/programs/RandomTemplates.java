package dev.kenaz.programs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Random expressions made from the templates of a resource file, which begins with the types:
 * {@code = r f64 0.?} is a type's letter, how it is written, and a simple expression ({@code ?} is
 * any digit); {@code : xs v} is a name in scope and its type; {@code ! rv} are the types of names
 * that any expression may bind.
 *
 * <p>In a template {@code <t>} is an expression of type t, {@code <!t>} a new name of that type
 * ({@code <!_>}: of no type), {@code <1>} the template's first new name; {@code <@>} brings names
 * into scope and {@code <~>} takes the last ones out of it again.
 */
final class RandomTemplates {
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

    /** Smaller expressions: some part replaced by one of its own parts or by something simple. */
    List<Node> smaller(RandomTemplates source) {
      var result = new ArrayList<Node>();
      var within = new ArrayList<Node>();
      descendants(within);
      within.stream().filter(d -> d.type().equals(type)).forEach(result::add);
      if (size() > 1) {
        result.add(source.simple(type));
      }
      for (int i = 0; i < parts.size(); i++) {
        if (parts.get(i) instanceof Node part) {
          for (var smaller : part.smaller(source)) {
            var changed = new ArrayList<>(parts);
            changed.set(i, smaller);
            result.add(new Node(type, changed));
          }
        }
      }
      result.sort((a, b) -> Integer.compare(a.size(), b.size()));
      return result;
    }

    private void descendants(List<Node> out) {
      for (var p : parts) {
        if (p instanceof Node n) {
          out.add(n);
          n.descendants(out);
        }
      }
    }
  }

  private record Type(String text, String simple) {}

  private record Name(String text, String type) {}

  private final Map<String, Type> types = new HashMap<>();
  private final Map<String, List<String>> templates = new HashMap<>();
  private final Random random;
  private final List<Name> scope = new ArrayList<>();
  private String bound = "";
  private int fresh;

  /**
   * @param lines of the resource file; a line with a type's letter starts its templates, {@code *}
   *     those for any type
   */
  RandomTemplates(List<String> lines, long seed) {
    this.random = new Random(seed * 0x9E3779B97F4A7C15L);
    List<String> now = new ArrayList<>();
    for (var line : lines) {
      var words = line.split(" ", 2);
      switch (line.isBlank() || line.startsWith("--") ? "" : words[0]) {
        case "" -> {}
        case "=" -> {
          var parts = words[1].split(" +\\| +", 3);
          types.put(parts[0], new Type(parts[1], parts[2]));
        }
        case ":" -> scope.add(new Name(words[1].split(" ")[0], words[1].split(" ")[1]));
        case "!" -> bound = words[1];
        default -> {
          if (line.length() == 1) {
            now = templates.computeIfAbsent(line, _ -> new ArrayList<>());
          } else {
            now.add(line);
          }
        }
      }
    }
  }

  /** An expression of that type. */
  Node exp(String type, int depth) {
    if (depth <= 0) {
      return leaf(type);
    }
    int choice = random.nextInt(16);
    if (choice == 0) {
      return leaf(type);
    }
    var from = choice <= 3 && bound.contains(type) ? templates.get("*") : templates.get(type);
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
    var text = types.get(type).simple();
    return new Node(type, List.of(text.replace("?", "" + (2 + random.nextInt(8)))));
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
        parts.add(types.get(made.getLast().type()).text());
      } else if (word.equals("T:")) {
        parts.add(types.get(type).text());
      } else {
        parts.add(exp(word.equals("T") ? type : word, depth - 1));
      }
    }
    parts.add(template.substring(at));
    drop(mark);
    return new Node(type, parts);
  }

  private String bound() {
    int at = random.nextInt(bound.length());
    return bound.substring(at, at + 1);
  }

  private void drop(int mark) {
    while (scope.size() > mark) {
      scope.removeLast();
    }
  }
}
