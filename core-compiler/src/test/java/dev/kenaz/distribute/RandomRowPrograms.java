package dev.kenaz.distribute;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

/**
 * Random whole-array programs over rows, from the templates in {@code
 * distribute/random-templates.txt}: a line {@code KIND: text}, where a hole {@code {KIND}} takes
 * any expression of the kind, {@code {KIND $x:KIND2}} one that may use the variable {@code $x} too,
 * and {@code $x} is a fresh name.
 */
final class RandomRowPrograms {
  /** A variable in scope, and its kind. */
  private record Named(String name, String kind) {}

  private record Template(String kind, String text) {}

  private static final int DEPTH = Integer.getInteger("random.depth", 2);

  private static final Pattern HOLE = Pattern.compile("\\{([A-Z]+)((?: \\$[a-z]:[A-Z]+)*)}");
  private static final Map<String, List<String>> TEMPLATES = read();
  private static final List<Template> ALL =
      TEMPLATES.entrySet().stream()
          .sorted(Map.Entry.comparingByKey())
          .flatMap(e -> e.getValue().stream().map(t -> new Template(e.getKey(), t)))
          .toList();
  private static final List<Named> PARAMETERS =
      List.of(
          new Named("xs", "XND"),
          new Named("ys", "XN"),
          new Named("ks", "KN"),
          new Named("zs", "XM"),
          new Named("js", "KM"),
          new Named("w", "XD"),
          new Named("c", "I"));

  private final SplittableRandom random;
  private int names;

  private RandomRowPrograms(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /**
   * The program of this seed. Its first statement is made from the template that the seed numbers,
   * so that as many seeds as there are templates try them all.
   */
  static String program(long seed) {
    int first = (int) Math.floorMod(seed, (long) ALL.size());
    return new RandomRowPrograms(seed).program(ALL.get(first));
  }

  private String program(Template first) {
    var text =
        new StringBuilder(
            "entry main [n][d][m] (xs: [n][d]f64) (ys: [n]f64) (ks: [n]i64) (zs: [m]f64)"
                + " (js: [m]i64) (w: [d]f64) (c: i64) =\n");
    var scope = new ArrayList<>(PARAMETERS);
    var kinds = new ArrayList<>(TEMPLATES.keySet());
    kinds.sort(null);
    int statements = 1 + random.nextInt(4);
    var results = new ArrayList<String>();
    for (int i = 0; i < statements; i++) {
      var kind = i == 0 ? first.kind() : kinds.get(random.nextInt(kinds.size()));
      var name = fresh();
      var exp = i == 0 ? fill(first.text(), DEPTH - 1, scope) : make(kind, DEPTH, scope);
      text.append("  let ").append(name).append(" = ").append(exp).append('\n');
      scope.add(new Named(name, kind));
      if (i + 1 == statements || random.nextInt(3) > 0) {
        results.add(name);
      }
    }
    return text.append("  in (").append(String.join(", ", results)).append(")\n").toString();
  }

  private String fresh() {
    return "v" + names++;
  }

  private String make(String kind, int depth, List<Named> scope) {
    var known = scope.stream().filter(v -> v.kind().equals(kind)).map(Named::name).toList();
    if (!known.isEmpty() && (depth == 0 || random.nextInt(3) == 0)) {
      return known.get(random.nextInt(known.size()));
    }
    var choices = TEMPLATES.get(kind);
    // when it is deep enough, the first template of a kind, which is the simplest
    var template = depth <= 0 ? choices.getFirst() : choices.get(random.nextInt(choices.size()));
    return "(" + fill(template, depth - 1, scope) + ")";
  }

  private String fill(String template, int depth, List<Named> scope) {
    var fresh = new HashMap<String, String>();
    var text = new StringBuilder();
    var holes = HOLE.matcher(template);
    int at = 0;
    while (holes.find()) {
      text.append(renamed(template.substring(at, holes.start()), fresh));
      var inner = new ArrayList<>(scope);
      for (var bound : holes.group(2).strip().split(" ")) {
        if (!bound.isEmpty()) {
          var parts = bound.split(":");
          inner.add(new Named(renamed(parts[0], fresh), parts[1]));
        }
      }
      text.append(make(holes.group(1), depth, inner));
      at = holes.end();
    }
    return text.append(renamed(template.substring(at), fresh)).toString();
  }

  private String renamed(String text, Map<String, String> fresh) {
    return Pattern.compile("\\$[a-z]")
        .matcher(text)
        .replaceAll(m -> fresh.computeIfAbsent(m.group(), _ -> fresh()));
  }

  private static Map<String, List<String>> read() {
    var templates = new HashMap<String, List<String>>();
    try (var in = RandomRowPrograms.class.getResourceAsStream("/distribute/random-templates.txt")) {
      for (var line : new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        if (!line.isBlank() && !line.startsWith("--")) {
          var parts = line.split(":", 2);
          templates.computeIfAbsent(parts[0], _ -> new ArrayList<>()).add(parts[1].strip());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return templates;
  }
}
