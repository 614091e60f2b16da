package dev.kenaz.programs;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random programs that compute with integers at the ends of their types, with indices, sizes,
 * slices and ranges made of them. The same seed gives the same program.
 */
final class RandomIntegers {
  /** Types and their numbers that are worth trying. */
  private static final List<String> TYPES =
      List.of("i64", "i64", "i64", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8");

  private final Random random;
  private final String type;
  private int names;

  RandomIntegers(long seed) {
    random = new Random(seed * 0x9E3779B97F4A7C15L);
    type = TYPES.get(Math.floorMod(seed, TYPES.size()));
  }

  String program(int entries) {
    var text = new StringBuilder();
    for (int i = 0; i < entries; i++) {
      names = 0;
      text.append(
          "entry e%d [n] (xs: [n]%s) (a: %s) (b: %s) (k: i64) (j: i64) =%n  "
              .formatted(i, type, type, type));
      text.append(result(i)).append("\n\n");
    }
    return text.toString();
  }

  /** Arguments of each entry. */
  String input() {
    var xs = new StringBuilder();
    int n = random.nextInt(6);
    for (int i = 0; i < n; i++) {
      xs.append(i > 0 ? ", " : "").append(value(type));
    }
    var array = n == 0 ? "empty([0]" + type + ")" : "[" + xs + "]";
    return String.join(" ", array, value(type), value(type), value("i64"), value("i64"));
  }

  private String value(String t) {
    return number(t) + t;
  }

  private String result(int i) {
    return switch (i % 4) {
      case 0 -> "(" + scalar(type, 4, List.of()) + ", " + truth(4, List.of()) + ")";
      case 1 -> "(" + scalar("i64", 4, List.of()) + ", " + array(3, List.of()) + ")";
      case 2 -> "(" + truth(3, List.of()) + ", " + length(3, List.of()) + ")";
      default -> "(" + array(3, List.of()) + ", " + scalar("i64", 3, List.of()) + ")";
    };
  }

  // Numbers

  private static int bits(String t) {
    return Integer.parseInt(t.substring(1));
  }

  private static String number(long bits, String t) {
    return t.startsWith("u")
        ? Long.toUnsignedString(bits(t) == 64 ? bits : bits & ((1L << bits(t)) - 1))
        : Long.toString(bits << (64 - bits(t)) >> (64 - bits(t)));
  }

  /** Near the ends, near zero, near the half and near powers of two. */
  private String number(String t) {
    int b = bits(t);
    long near = random.nextInt(7) - 3;
    return number(
        switch (random.nextInt(8)) {
          case 0, 1 -> (1L << (b - 1)) + near;
          case 2 -> (1L << (b - 2)) + near;
          case 3 -> (1L << random.nextInt(b)) + near;
          case 4 -> random.nextLong();
          default -> near;
        },
        t);
  }

  private String pick(String... choices) {
    return choices[random.nextInt(choices.length)];
  }

  /** Variables of that type: the entry's parameters and those bound around. */
  private String variable(String t, List<String> around) {
    if (t.equals("i64") && !around.isEmpty() && random.nextBoolean()) {
      return around.get(random.nextInt(around.size()));
    }
    if (t.equals("i64") && random.nextInt(3) > 0) {
      return pick("k", "j", "n", "n");
    }
    return t.equals(type) ? pick("a", "b") : pick("a", "b").transform(x -> convert(t, type, x));
  }

  /** Narrower, or as wide, or wider of the same sign. */
  private static String convert(String to, String from, String x) {
    boolean wider = bits(to) > bits(from);
    return !wider || from.charAt(0) == to.charAt(0) || from.charAt(0) == 'u'
        ? "(" + to + "." + from + " " + x + ")"
        : "(" + to + ".i64 (i64." + from + " " + x + "))";
  }

  String scalar(String t, int depth, List<String> around) {
    if (depth == 0 || random.nextInt(6) == 0) {
      return random.nextInt(3) == 0 ? literal(t) : variable(t, around);
    }
    int d = depth - 1;
    return switch (random.nextInt(16)) {
      case 0, 1, 2, 3 ->
          "(%s %s %s)".formatted(scalar(t, d, around), pick("+", "-"), operand(t, d, around));
      case 4 -> "(%s * %s)".formatted(scalar(t, d, around), operand(t, d, around));
      case 5 ->
          "(%s %s %s)".formatted(scalar(t, d, around), pick("/", "%", "//", "%%"), literal(t));
      case 6, 7 ->
          "(%s.%s %s %s)"
              .formatted(t, pick("min", "max"), scalar(t, d, around), operand(t, d, around));
      case 8 ->
          "(%s %s %s)".formatted(scalar(t, d, around), pick("&", "|", "^"), operand(t, d, around));
      case 9 -> "(%s.%s %s)".formatted(t, pick("neg", "abs", "not"), scalar(t, d, around));
      case 10 -> {
        var x = "v" + names++;
        var inner = t.equals("i64") ? with(around, x) : around;
        yield "(let %s = %s in %s)".formatted(x, scalar(t, d, around), scalar(t, d, inner));
      }
      case 11 -> {
        var other = pick("i64", "i32", "i8", "u8", "i16");
        yield convert(t, other, scalar(other, d, around));
      }
      case 12 -> {
        var i = "i" + names++;
        yield "(loop r = %s for %s < %s do %s + r)"
            .formatted(
                scalar(t, d, around),
                i,
                pick("n", "3", "(k %% 4)"),
                scalar(t, d, t.equals("i64") ? with(around, i) : around));
      }
      case 13 ->
          t.equals("i64")
              ? length(d, around)
              : "(if %s then %s else %s)"
                  .formatted(truth(d, around), scalar(t, d, around), scalar(t, d, around));
      default ->
          t.equals(type) && random.nextBoolean()
              ? "(let q = %s in if 0 <= q && q < n then xs[q] else %s)"
                  .formatted(scalar("i64", d, around), scalar(t, d, around))
              : "(if %s then %s else %s)"
                  .formatted(truth(d, around), scalar(t, d, around), scalar(t, d, around));
    };
  }

  /** More often a constant. */
  private String operand(String t, int depth, List<String> around) {
    return random.nextBoolean() ? literal(t) : scalar(t, depth, around);
  }

  private String literal(String t) {
    var number = number(t);
    return random.nextInt(4) == 0
        ? pick(t + ".highest", t + ".lowest")
        : number.startsWith("-") ? "(" + number + t + ")" : number + t;
  }

  private static List<String> with(List<String> around, String name) {
    var all = new ArrayList<>(around);
    all.add(name);
    return all;
  }

  String truth(int depth, List<String> around) {
    var t = random.nextInt(3) == 0 ? type : "i64";
    int d = Math.max(0, depth - 1);
    return switch (depth == 0 ? 0 : random.nextInt(8)) {
      case 0, 1, 2, 3 -> {
        var x = scalar(t, d, around);
        var y = random.nextInt(3) == 0 ? "(" + x + " + " + literal(t) + ")" : operand(t, d, around);
        yield "(%s %s %s)".formatted(x, pick("<", "<=", ">", ">=", "==", "!="), y);
      }
      case 4, 5 -> "(%s && %s)".formatted(truth(d, around), truth(d, around));
      case 6 -> "(%s || %s)".formatted(truth(d, around), truth(d, around));
      default -> "!(" + truth(d, around) + ")";
    };
  }

  // Arrays

  private String array(int depth, List<String> around) {
    int d = depth - 1;
    var i = "i" + names++;
    return switch (depth == 0 ? 9 : random.nextInt(9)) {
      case 0, 1 -> "(map (\\%s -> %s) (iota n))".formatted(i, scalar("i64", d, with(around, i)));
      case 2 ->
          "(map (\\%s -> if %s then xs[%s %% n] else %s) (iota n))"
              .formatted(
                  i,
                  truth(d, with(around, i)),
                  scalar("i64", d, with(around, i)),
                  scalar(type, d, with(around, i)));
      case 3 ->
          "(map (\\%s -> if 0 <= %s + %s && %s + %s < n then xs[%s + %s] else b) (iota n))"
              .formatted(i, i, "k", i, "k", i, "k");
      case 4 ->
          "(%s)[%s:%s:%s]".formatted(array(d, around), bound(around), bound(around), stride());
      case 5 -> "(%s)[::%s]".formatted(array(d, around), stride());
      case 6 ->
          "(tabulate (i64.min 7 (i64.max 0 %s)) (\\%s -> %s))"
              .formatted(scalar("i64", d, around), i, scalar(type, d, with(around, i)));
      case 7 -> {
        var from = literal("i64");
        var to = "(" + from + " + " + pick("(k % 6)", "(j % 4)", "3", "(-2)") + ")";
        var step =
            random.nextBoolean() ? "" : ".." + "(" + from + " + " + pick("1", "2", "k") + ")";
        yield "(" + from + step + pick("..<", "...", "..>") + to + ")";
      }
      case 8 -> "(scan %s.%s %s xs)".formatted(type, pick("min", "max"), literal(type));
      default -> pick("xs", "(iota n)", "(replicate n a)");
    };
  }

  private String bound(List<String> around) {
    return pick("0", "1", "n", "(n - 1)", "", scalar("i64", 1, around));
  }

  private String stride() {
    return pick(
        "k",
        "j",
        "1",
        "2",
        "(-1)",
        "(-2)",
        "i64.highest",
        "i64.lowest",
        "(k + 1)",
        literal("i64").replace("(0i64)", "1"));
  }

  private String length(int depth, List<String> around) {
    return "(length " + array(Math.max(0, depth - 1), around) + ")";
  }
}
