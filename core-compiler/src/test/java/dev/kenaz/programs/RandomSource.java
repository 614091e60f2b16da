package dev.kenaz.programs;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Random well-typed programs in the source language. Every array has {@code n} elements ({@code n}
 * is in scope everywhere), or {@code n} rows of {@code n}.
 */
final class RandomSource {
  /** The types that expressions are made of; pairs are of the first two. */
  enum Ty {
    INT("i32"),
    REAL("f64"),
    TRUTH("bool"),
    SIZE("i64"),
    INTS("[n]i32"),
    REALS("[n]f64"),
    ROWS("[n][n]f64"),
    GRID("[n][n]i32"),
    CUBE("[n][n][n]i32"),
    BOX("{a: i32, b: [n]i32}"),
    PAIR("(i32, f64)"),
    PAIRS("[n](i32, f64)"),
    CHOICE("(#left i32 | #right f64 i32 | #neither)");

    final String text;

    Ty(String text) {
      this.text = text;
    }
  }

  private record Name(String text, Ty type) {}

  private final Random random;
  private final List<Name> scope = new ArrayList<>();
  private int fresh;

  RandomSource(long seed) {
    this.random = new Random(seed);
  }

  /** A program with this many entry points of one signature: {@code [n]i32 -> [n]f64 -> i32}. */
  String program(int entries) {
    var text = new StringBuilder();
    for (int i = 0; i < entries; i++) {
      scope.clear();
      scope.add(new Name("xs", Ty.INTS));
      scope.add(new Name("ys", Ty.REALS));
      scope.add(new Name("k", Ty.INT));
      var result =
          pick(Ty.INT, Ty.REAL, Ty.INTS, Ty.REALS, Ty.ROWS, Ty.GRID, Ty.CUBE, Ty.PAIR, Ty.TRUTH);
      var entry = "entry e%d [n] (xs: [n]i32) (ys: [n]f64) (k: i32) : %s =\n  %s\n\n";
      text.append(entry.formatted(i, result.text, exp(result, 4)));
    }
    return text.toString();
  }

  private Ty pick(Ty... types) {
    return types[random.nextInt(types.length)];
  }

  @SafeVarargs
  private String one(Supplier<String>... choices) {
    return choices[random.nextInt(choices.length)].get();
  }

  private String exp(Ty type, int depth) {
    if (depth <= 0) {
      return leaf(type);
    }
    return switch (random.nextInt(9)) {
      case 0 -> leaf(type);
      case 1 ->
          "(if %s then %s else %s)"
              .formatted(exp(Ty.TRUTH, depth - 1), exp(type, depth - 1), exp(type, depth - 1));
      case 2 -> let(type, depth);
      case 3 -> loop(type, depth);
      case 4 -> match(type, depth);
      case 5 -> call(type, depth);
      default -> compound(type, depth);
    };
  }

  private String leaf(Ty type) {
    var names = scope.stream().filter(v -> v.type() == type).map(Name::text).toList();
    if (!names.isEmpty() && random.nextInt(4) > 0) {
      return names.get(random.nextInt(names.size()));
    }
    return switch (type) {
      case INT -> random.nextInt(10) + "i32";
      case REAL -> random.nextInt(8) + ".5f64";
      case TRUTH -> random.nextBoolean() ? "true" : "false";
      case SIZE -> "n";
      case INTS -> "(map i32.i64 (iota n))";
      case REALS -> "(replicate n " + leaf(Ty.REAL) + ")";
      case ROWS -> "(replicate n " + leaf(Ty.REALS) + ")";
      case GRID -> "(tabulate_2d n n (\\i j -> i32.i64 (i * 2 - j)))";
      case CUBE -> "(replicate n " + leaf(Ty.GRID) + ")";
      case BOX -> "{a = " + leaf(Ty.INT) + ", b = " + leaf(Ty.INTS) + "}";
      case PAIR -> "(" + leaf(Ty.INT) + ", " + leaf(Ty.REAL) + ")";
      case PAIRS -> "(zip " + leaf(Ty.INTS) + " " + leaf(Ty.REALS) + ")";
      case CHOICE -> "(#left " + leaf(Ty.INT) + " : " + Ty.CHOICE.text + ")";
    };
  }

  private String compound(Ty type, int depth) {
    Supplier<String> i = () -> exp(Ty.INT, depth - 1);
    Supplier<String> r = () -> exp(Ty.REAL, depth - 1);
    Supplier<String> is = () -> exp(Ty.INTS, depth - 1);
    Supplier<String> rs = () -> exp(Ty.REALS, depth - 1);
    Supplier<String> rows = () -> exp(Ty.ROWS, depth - 1);
    Supplier<String> box = () -> exp(Ty.BOX, depth - 1);
    return switch (type) {
      case INT ->
          one(
              () -> "(" + i.get() + " + " + i.get() + ")",
              () -> "(" + i.get() + " * " + i.get() + ")",
              () -> "(i32.max " + i.get() + " " + i.get() + ")",
              () -> "(reduce (+) 0 " + is.get() + ")",
              () -> "(i32.maximum " + is.get() + ")",
              () -> "(" + exp(Ty.PAIR, depth - 1) + ").0",
              () -> "(i32.i64 (length (filter (> " + i.get() + ") " + is.get() + ")))",
              () -> "(i32.bool " + exp(Ty.TRUTH, depth - 1) + ")",
              () -> "(" + box.get() + ").a",
              () -> "(i32.sum (map i32.sum " + exp(Ty.GRID, depth - 1) + "))",
              () -> filtered(depth),
              () -> "(foldl (\\a x -> a * 3 - x) " + i.get() + " " + is.get() + ")",
              () -> whileLoop(depth));
      case REAL ->
          one(
              () -> "(" + r.get() + " + " + r.get() + ")",
              () -> "(" + r.get() + " * 0.25 - " + r.get() + ")",
              () -> "(f64.sqrt (f64.abs " + r.get() + "))",
              () -> "(f64.sum " + rs.get() + ")",
              () -> "(f64.sin " + r.get() + ")",
              () -> "(f64.i32 " + i.get() + ")",
              () -> "(" + exp(Ty.PAIR, depth - 1) + ").1",
              () -> derivative(depth));
      case TRUTH ->
          one(
              () -> "(" + i.get() + " < " + i.get() + ")",
              () -> "(" + i.get() + " == " + i.get() + ")",
              () -> "(" + exp(Ty.TRUTH, depth - 1) + " && " + exp(Ty.TRUTH, depth - 1) + ")",
              () -> "(!" + exp(Ty.TRUTH, depth - 1) + ")",
              () -> "(any (> " + i.get() + ") " + is.get() + ")");
      case SIZE -> "(n + " + random.nextInt(3) + ")";
      case INTS -> ints(depth);
      case REALS -> reals(depth);
      case ROWS ->
          one(
              () -> "(transpose " + rows.get() + ")",
              () -> mapped(Ty.REAL, Ty.REALS, rs, depth),
              () -> mapped(Ty.REALS, Ty.REALS, rows, depth),
              () -> "(map (\\x -> map (* x) " + rs.get() + ") " + rs.get() + ")");
      case GRID -> grid(depth);
      case CUBE -> cube(depth);
      case BOX ->
          one(
              () -> "{a = " + i.get() + ", b = " + is.get() + "}",
              () -> "(" + box.get() + " with a = " + i.get() + ")",
              () -> "(" + box.get() + " with b = " + is.get() + ")");
      case PAIR ->
          one(
              () -> "(" + i.get() + ", " + r.get() + ")",
              () ->
                  "(reduce (\\a b -> (a.0 + b.0, f64.max a.1 b.1)) (0, f64.lowest) "
                      + exp(Ty.PAIRS, depth - 1)
                      + ")");
      case PAIRS ->
          one(
              () -> "(zip " + is.get() + " " + rs.get() + ")",
              () -> mapped(Ty.INT, Ty.PAIR, is, depth),
              () -> mapped(Ty.PAIR, Ty.PAIR, () -> exp(Ty.PAIRS, depth - 1), depth));
      case CHOICE ->
          one(
              () -> "(#left " + i.get() + " : " + Ty.CHOICE.text + ")",
              () -> "(#right " + r.get() + " " + i.get() + " : " + Ty.CHOICE.text + ")",
              () -> "(#neither : " + Ty.CHOICE.text + ")");
    };
  }

  private String ints(int depth) {
    Supplier<String> i = () -> exp(Ty.INT, depth - 1);
    Supplier<String> is = () -> exp(Ty.INTS, depth - 1);
    return one(
        () -> mapped(Ty.INT, Ty.INT, is, depth),
        () -> mapped(Ty.PAIR, Ty.INT, () -> exp(Ty.PAIRS, depth - 1), depth),
        () -> "(scan (+) 0 " + is.get() + ")",
        () -> "(reverse " + is.get() + ")",
        () -> "(map2 (+) " + is.get() + " " + is.get() + ")",
        () ->
            "(scatter (copy " + is.get() + ") (map i64.i32 " + is.get() + ") " + "(replicate n 7))",
        () ->
            "(reduce_by_index (copy "
                + is.get()
                + ") (+) 0 (map i64.i32 "
                + is.get()
                + ") "
                + is.get()
                + ")",
        () -> "(rotate (i64.i32 " + i.get() + ") " + is.get() + ")",
        () -> "(" + exp(Ty.BOX, depth - 1) + ").b",
        () -> "(copy " + is.get() + " with " + index() + " = " + i.get() + ")",
        () -> mapped(Ty.INTS, Ty.INT, () -> exp(Ty.GRID, depth - 1), depth),
        () -> "(reduce (map2 (+)) (replicate n 0) " + exp(Ty.GRID, depth - 1) + ")",
        () -> "(scan (\\a b -> if a > b then a - 1 else b) i32.lowest " + is.get() + ")",
        () -> filledIn(depth),
        () -> updates(depth),
        () -> "(hist i32.max 0 n (map i64.i32 " + is.get() + ") " + is.get() + ")",
        () -> mapped(Ty.BOX, Ty.INT, boxes(depth), depth),
        () ->
            "(map2 (\\x y -> x["
                + somewhere()
                + "] - y) "
                + exp(Ty.GRID, depth - 1)
                + " "
                + is.get()
                + ")");
  }

  /** An index that is in bounds unless there are no elements. */
  private String somewhere() {
    return one(
        () -> random.nextInt(2) + " % i64.max n 1",
        () -> "(n - 1)",
        () -> "i64.i32 (" + exp(Ty.INT, 1) + " % i32.max 1 (i32.i64 n))");
  }

  private String index() {
    return "[" + somewhere() + "]";
  }

  private Supplier<String> boxes(int depth) {
    return () ->
        "(map2 (\\a b -> {a, b}) " + exp(Ty.INTS, depth - 1) + " " + exp(Ty.GRID, depth - 1) + ")";
  }

  private String grid(int depth) {
    Supplier<String> is = () -> exp(Ty.INTS, depth - 1);
    Supplier<String> g = () -> exp(Ty.GRID, depth - 1);
    Supplier<String> cube = () -> exp(Ty.CUBE, depth - 1);
    return one(
        () -> "(transpose " + g.get() + ")",
        () -> mapped(Ty.INT, Ty.INTS, is, depth),
        () -> mapped(Ty.INTS, Ty.INTS, g, depth),
        () -> mapped(Ty.BOX, Ty.INTS, boxes(depth), depth),
        () -> mapped(Ty.GRID, Ty.INTS, cube, depth),
        () -> "(" + multiplied("x", "y") + " |> \\f -> f " + g.get() + " " + g.get() + ")",
        () -> "(scan (map2 (+)) (replicate n 0) " + g.get() + ")",
        () -> "(map (scan (+) 0) " + g.get() + ")",
        () -> "(map reverse " + g.get() + ")",
        () -> "(copy " + g.get() + " with " + index() + " = " + is.get() + ")",
        () -> "(copy " + g.get() + " with [:, " + somewhere() + "] = " + is.get() + ")",
        () -> "(scatter (copy " + g.get() + ") (map i64.i32 " + is.get() + ") " + g.get() + ")",
        () ->
            "(reduce_by_index (copy %s) (map2 (+)) (replicate n 0) (map i64.i32 %s) %s)"
                .formatted(g.get(), is.get(), g.get()),
        () ->
            "(reduce_by_index_2d (copy %s) (+) 0 (zip (map i64.i32 %s) (map i64.i32 %s)) %s)"
                .formatted(g.get(), is.get(), is.get(), is.get()),
        () -> "(reduce (map2 (map2 (+))) (replicate n (replicate n 0)) " + cube.get() + ")",
        () ->
            "(reduce %s (tabulate_2d n n (\\i j -> i32.bool (i == j))) %s)"
                .formatted(multiplied("x", "y"), cube.get()),
        () -> cube.get() + index(),
        () -> "(unflatten (flatten " + g.get() + "))");
  }

  private static String multiplied(String x, String y) {
    return "(\\(%s: [n][n]i32) (%s: [n][n]i32) : [n][n]i32 -> map (\\r -> map (\\c -> i32.sum (map2 (*) r c)) (transpose %s)) %s)"
        .formatted(x, y, y, x);
  }

  private String cube(int depth) {
    Supplier<String> g = () -> exp(Ty.GRID, depth - 1);
    Supplier<String> cube = () -> exp(Ty.CUBE, depth - 1);
    return one(
        () -> mapped(Ty.GRID, Ty.GRID, cube, depth),
        () -> mapped(Ty.INTS, Ty.GRID, g, depth),
        () -> "(map transpose " + cube.get() + ")",
        () -> "(transpose " + cube.get() + ")",
        () -> "(replicate n " + g.get() + ")",
        () -> "(copy " + cube.get() + " with " + index() + " = " + g.get() + ")",
        () ->
            "(scan %s (tabulate_2d n n (\\i j -> i32.bool (i == j))) %s)"
                .formatted(multiplied("x", "y"), cube.get()),
        () -> "(map (scan (map2 (i32.max)) (replicate n 0)) " + cube.get() + ")");
  }

  /** Arrays whose size only the run tells. */
  private String filtered(int depth) {
    var p = "(\\x -> x % 2 == " + random.nextInt(2) + ")";
    var w = "w" + fresh++;
    return "(let %s = filter %s %s in %s)"
        .formatted(
            w,
            p,
            exp(Ty.INTS, depth - 1),
            one(
                () -> "i32.sum (map (+ " + exp(Ty.INT, depth - 1) + ") " + w + ")",
                () -> "if length " + w + " > 0 then last " + w + " else 0",
                () -> "i32.maximum (map2 (*) " + w + " (reverse " + w + "))",
                () -> "i32.sum (scan (+) 0 (" + w + " ++ " + w + "))",
                () -> "i32.sum (map (\\v -> i32.sum (map (* v) " + w + ")) " + w + ")"));
  }

  private String filledIn(int depth) {
    var w = "w" + fresh++;
    return "(let %s = filter (> %s) %s in scatter (copy %s) (indices %s) %s)"
        .formatted(
            w, exp(Ty.INT, depth - 1), exp(Ty.INTS, depth - 1), exp(Ty.INTS, depth - 1), w, w);
  }

  /** A loop that overwrites an array element by element. */
  private String updates(int depth) {
    int mark = scope.size();
    var initial = exp(Ty.INTS, depth - 1);
    var a = "a" + fresh++;
    var i = "i" + fresh++;
    var x = bind(Ty.INT);
    var value = exp(Ty.INT, depth - 2);
    unbind(mark);
    return "(loop %s = copy %s for %s < n do let %s = %s[n - 1 - %s] in %s with [%s] = %s)"
        .formatted(a, initial, i, x, a, i, a, i, value);
  }

  private String whileLoop(int depth) {
    int mark = scope.size();
    var initial = exp(Ty.INT, depth - 1);
    var arrays = exp(Ty.INTS, depth - 1);
    var x = bind(Ty.INT);
    var xs = bind(Ty.INTS);
    var k = "k" + fresh++;
    var body = exp(Ty.INT, depth - 2);
    var next = exp(Ty.INTS, depth - 2);
    unbind(mark);
    return "(loop (%s, %s, %s) = (%s, %s, 0i32) while %s < 3 && %s < 100 do (%s, %s, %s + 1)).0"
        .formatted(x, xs, k, initial, arrays, k, x, body, next, k);
  }

  private String reals(int depth) {
    Supplier<String> is = () -> exp(Ty.INTS, depth - 1);
    Supplier<String> rs = () -> exp(Ty.REALS, depth - 1);
    Supplier<String> rows = () -> exp(Ty.ROWS, depth - 1);
    return one(
        () -> mapped(Ty.REAL, Ty.REAL, rs, depth),
        () -> mapped(Ty.INT, Ty.REAL, is, depth),
        () -> mapped(Ty.REALS, Ty.REAL, rows, depth),
        () -> "(scan f64.max f64.lowest " + rs.get() + ")",
        () -> "(reduce (map2 (+)) (replicate n 0) " + rows.get() + ")",
        () -> "(map (.1) " + exp(Ty.PAIRS, depth - 1) + ")",
        () -> "(vjp (\\v -> f64.sum (map (\\x -> x * x) v)) " + rs.get() + " 1)",
        () -> "(flatten " + rows.get() + ")[0:n]",
        () -> "(scan (map2 (+)) (replicate n 0) " + rows.get() + ")" + index(),
        () -> "(transpose " + rows.get() + ")" + index(),
        () -> gradient(depth));
  }

  private String gradient(int depth) {
    int mark = scope.size();
    var x = bind(Ty.REALS);
    var body = exp(Ty.REAL, depth - 2);
    unbind(mark);
    return "(vjp (\\(%s: [n]f64) : f64 -> %s) %s 1)".formatted(x, body, exp(Ty.REALS, depth - 1));
  }

  private String derivative(int depth) {
    int mark = scope.size();
    var x = bind(Ty.REAL);
    var body = exp(Ty.REAL, depth - 2);
    unbind(mark);
    var f = "(\\(" + x + ": f64) : f64 -> " + body + ")";
    var at = exp(Ty.REAL, depth - 1);
    return random.nextBoolean() ? "(vjp " + f + " " + at + " 1)" : "(jvp " + f + " " + at + " 1)";
  }

  private String mapped(Ty from, Ty to, Supplier<String> array, int depth) {
    int mark = scope.size();
    var x = bind(from);
    var body = exp(to, depth - 1);
    unbind(mark);
    return "(map (\\(%s: %s) : %s -> %s) %s)".formatted(x, from.text, to.text, body, array.get());
  }

  private String let(Ty type, int depth) {
    var bound = pick(Ty.values());
    var value = exp(bound, depth - 1);
    int mark = scope.size();
    var x = bind(bound);
    var body = exp(type, depth - 1);
    unbind(mark);
    return "(let %s : %s = %s in %s)".formatted(x, bound.text, value, body);
  }

  private String call(Ty type, int depth) {
    var param = pick(Ty.INT, Ty.REALS, Ty.PAIR);
    int mark = scope.size();
    var x = bind(param);
    var body = exp(type, depth - 1);
    unbind(mark);
    var f = "f" + fresh++;
    return "(let %s (%s: %s) : %s = %s in %s %s)"
        .formatted(f, x, param.text, type.text, body, f, exp(param, depth - 1));
  }

  private String loop(Ty type, int depth) {
    var initial = exp(type, depth - 1);
    int mark = scope.size();
    var acc = bind(type);
    var i = "step" + fresh++;
    scope.add(new Name(i, Ty.INT));
    var body = exp(type, depth - 1);
    unbind(mark);
    return "(loop %s : %s = %s for %s < 3i32 do %s)".formatted(acc, type.text, initial, i, body);
  }

  private String match(Ty type, int depth) {
    var subject = exp(Ty.CHOICE, depth - 1);
    int mark = scope.size();
    var a = bind(Ty.INT);
    var left = exp(type, depth - 1);
    unbind(mark);
    var b = bind(Ty.REAL);
    var c = bind(Ty.INT);
    var right = exp(type, depth - 1);
    unbind(mark);
    return "(match %s case #left %s -> %s case #right %s %s -> %s case #neither -> %s)"
        .formatted(subject, a, left, b, c, right, exp(type, depth - 1));
  }

  private String bind(Ty type) {
    var name = "v" + fresh++;
    scope.add(new Name(name, type));
    return name;
  }

  private void unbind(int mark) {
    while (scope.size() > mark) {
      scope.removeLast();
    }
  }
}
