package dev.kenaz.ir;

import dev.kenaz.ir.Exp.*;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Well-typed core programs made at random, with arguments for them: for checking that a pass keeps
 * the meaning. They use all scalar types that matter, arrays of up to two dimensions (empty ones
 * too), and every parallel operator, nested. A program may fail at run time, by a bad index.
 */
public final class RandomPrograms {
  private static final List<Prim> PRIMS =
      List.of(Prim.I64, Prim.I64, Prim.F64, Prim.F64, Prim.I32, Prim.F32, Prim.BOOL);

  private final Random random;
  private final List<Atom> dims = new ArrayList<>();
  private int group;

  private RandomPrograms(long seed) {
    this.random = new Random(seed);
  }

  /** A program whose entry point is {@code main}, and arguments to call it with. */
  public record Sample(CoreProgram program, List<Value> arguments) {}

  /** The same for the same seed. */
  public static Sample of(long seed) {
    return new RandomPrograms(seed).sample();
  }

  /** A variable that may be used; those of one group share memory. */
  private record Known(Var var, int group, int depth) {}

  /** What may be used at a place. */
  private final class Scope {
    private final Builder builder;
    private final List<Known> known;
    private final int depth;

    Scope(Builder builder, List<Known> known, int depth) {
      this.builder = builder;
      this.known = new ArrayList<>(known);
      this.depth = depth;
    }

    Scope inner(Builder inner) {
      return new Scope(inner, known, depth + 1);
    }

    Var own(Var v) {
      known.add(new Known(v, group++, depth));
      return v;
    }

    void alias(Var v, Var of) {
      var source = known.stream().filter(k -> k.var.equals(of)).findFirst().orElseThrow();
      known.add(new Known(v, source.group, source.depth));
    }

    /** The parameters of a lambda over the rows of the inputs, with which they share memory. */
    void rows(List<Var> params, List<Var> inputs) {
      for (int i = 0; i < params.size(); i++) {
        alias(params.get(i), inputs.get(i));
      }
    }

    /** Arrays of this scope's making go out of use with all that share their memory. */
    void consume(Known k) {
      known.removeIf(o -> o.group == k.group);
    }

    List<Known> arrays() {
      return known.stream().filter(k -> k.var.type().isArray()).toList();
    }
  }

  private Sample sample() {
    var n = TestPrograms.size("n");
    var m = TestPrograms.size("m");
    dims.addAll(List.of(n, n, m, Atom.i64(3)));
    var params = new ArrayList<Var>();
    params.add(TestPrograms.array("xss", Prim.F64, n, m));
    params.add(TestPrograms.array("xs", Prim.F64, n));
    params.add(TestPrograms.array("is", Prim.I64, n));
    params.add(TestPrograms.array("js", Prim.I32, m));
    params.add(TestPrograms.array("a", Prim.F32, Atom.i64(3)));
    for (var p : PRIMS) {
      params.add(TestPrograms.scalar("s", p));
    }
    var program =
        TestPrograms.main(
            List.of(n, m),
            params,
            (b, _) -> {
              var scope = new Scope(b, List.of(), 0);
              scope.own(n);
              scope.own(m);
              params.forEach(scope::own);
              statements(scope, 6 + random.nextInt(10));
              return results(scope, 4 + random.nextInt(8));
            });
    int rows = random.nextInt(5);
    int columns = random.nextInt(4);
    var arguments = params.stream().map(p -> argument(p.type(), n, rows, columns)).toList();
    return new Sample(program, arguments);
  }

  private Value argument(Type type, Var n, int rows, int columns) {
    var prim = type.elemPrim();
    if (type.isScalar()) {
      return number(prim);
    }
    var shape =
        type.dims().stream()
            .mapToLong(d -> d instanceof Const(var c) ? c.asLong() : d.equals(n) ? rows : columns)
            .toArray();
    var xs = new long[(int) ArrayValue.count(shape)];
    var data = ArrayValue.allocate(prim, shape);
    for (int i = 0; i < xs.length; i++) {
      xs[i] = random.nextInt(9) - 3;
    }
    return prim.isFloat()
        ? ArrayValue.ofDoubles(prim, Arrays.stream(xs).mapToDouble(x -> x / 2.0).toArray(), shape)
        : data.byteSize() == 0
            ? ArrayValue.of(prim, data, shape)
            : ArrayValue.ofLongs(prim, xs, shape);
  }

  private ScalarValue number(Prim prim) {
    int x = random.nextInt(9) - 3;
    return prim.isFloat() ? ScalarValue.ofDouble(prim, x / 2.0) : ScalarValue.ofLong(prim, x);
  }

  // Choices

  private <T> T choose(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  /** Rather a late one, so that results depend on much. */
  private <T> T late(List<T> list) {
    int from = random.nextBoolean() ? Math.max(0, list.size() - 3) : 0;
    return list.get(from + random.nextInt(list.size() - from));
  }

  private Atom scalar(Scope s, Prim prim) {
    var vars =
        s.known.stream().map(Known::var).filter(v -> v.type().equals(Type.scalar(prim))).toList();
    if (vars.isEmpty() || random.nextInt(4) == 0) {
      return new Const(
          random.nextInt(3) == 0 ? ScalarValue.ofLong(prim, random.nextInt(2)) : number(prim));
    }
    return late(vars);
  }

  private List<Atom> results(Scope s, int count) {
    var results = new ArrayList<Atom>();
    var usable = s.known.stream().filter(k -> k.depth == s.depth).toList();
    for (int i = 0; i < count; i++) {
      results.add(usable.isEmpty() ? number2() : late(usable).var);
    }
    return results;
  }

  private Atom number2() {
    return new Const(number(choose(PRIMS)));
  }

  private Atom ofType(Scope s, Type type) {
    if (type.isScalar()) {
      return scalar(s, type.elemPrim());
    }
    var same = s.known.stream().map(Known::var).filter(v -> v.type().equals(type)).toList();
    if (!same.isEmpty() && random.nextInt(3) > 0) {
      return late(same);
    }
    return s.own(s.builder.replicate(type.dims(), scalar(s, type.elemPrim())));
  }

  // Statements

  private void statements(Scope s, int count) {
    for (int i = 0; i < count; i++) {
      statement(s);
    }
  }

  private void statement(Scope s) {
    int kind = random.nextInt(s.depth < 3 ? 24 : 12);
    switch (kind) {
      case 0, 1, 2, 3 -> arithmetic(s);
      case 4 -> comparison(s);
      case 5 -> {
        var from = choose(PRIMS);
        s.own(s.builder.bind("c", new Convert(choose(PRIMS), scalar(s, from))));
      }
      case 6, 7 -> read(s);
      case 8 -> view(s);
      case 9 -> make(s);
      case 10 -> update(s);
      case 11 -> slice(s);
      case 12, 13 -> branch(s);
      case 14, 15 -> loop(s);
      case 16, 17, 18, 19 -> screma(s);
      case 20 -> hist(s);
      case 21 -> {
        if (random.nextBoolean()) {
          scatter(s);
        } else {
          filter(s);
        }
      }
      case 22, 23 -> accumulate(s);
      default -> throw new AssertionError(kind);
    }
  }

  private void arithmetic(Scope s) {
    var prim = choose(PRIMS);
    var x = scalar(s, prim);
    var y = scalar(s, prim);
    var ops =
        prim == Prim.BOOL
            ? List.of(BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR)
            : List.of(
                BinaryOp.ADD, BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.MIN, BinaryOp.MAX);
    if (random.nextInt(5) == 0) {
      s.own(s.builder.bind("u", new Unary(prim == Prim.BOOL ? UnaryOp.NOT : UnaryOp.NEG, x)));
    } else {
      s.own(s.builder.bind("b", new Binary(choose(ops), x, y)));
    }
  }

  private void comparison(Scope s) {
    var prim = choose(PRIMS);
    var op = choose(List.of(CompareOp.values()));
    s.own(s.builder.bind("c", new Compare(op, scalar(s, prim), scalar(s, prim))));
  }

  /** An index that is inside unless the dimension is empty, mostly. */
  private Atom index(Scope s, Atom dim) {
    if (random.nextInt(30) == 0) {
      return scalar(s, Prim.I64);
    }
    var least = s.builder.binary(BinaryOp.MAX, dim, Atom.i64(1));
    return s.builder.binary(BinaryOp.MOD, scalar(s, Prim.I64), least);
  }

  private void read(Scope s) {
    var arrays = s.arrays();
    if (arrays.isEmpty()) {
      return;
    }
    var a = late(arrays).var;
    var indices = new ArrayList<Atom>();
    int n = 1 + random.nextInt(a.type().dims().size());
    for (int d = 0; d < n; d++) {
      indices.add(index(s, a.type().dims().get(d)));
    }
    var x = s.builder.bind("x", new Index(a, indices, true));
    if (x.type().isScalar()) {
      s.own(x);
    } else {
      s.alias(x, a);
    }
  }

  private void view(Scope s) {
    var arrays = s.arrays();
    if (arrays.isEmpty()) {
      return;
    }
    var a = late(arrays).var;
    if (a.type().dims().size() == 2) {
      s.alias(s.builder.bind("t", new Rearrange(List.of(1, 0), a)), a);
    } else {
      var row =
          s.builder.bind("r", new Reshape(List.of(Atom.i64(1), a.type().dims().getFirst()), a));
      s.alias(row, a);
    }
  }

  private void make(Scope s) {
    var dim = choose(dims);
    var b = s.builder;
    switch (random.nextInt(5)) {
      case 0 ->
          s.own(
              b.bind(
                  "iota",
                  random.nextBoolean()
                      ? new Iota(dim, Atom.i64(0), Atom.i64(1))
                      : new Iota(dim, scalar(s, Prim.I64), scalar(s, Prim.I64))));
      case 1 -> s.own(b.replicate(List.of(dim), scalar(s, choose(PRIMS))));
      case 2 -> {
        var prim = choose(PRIMS);
        var elems = List.of(scalar(s, prim), scalar(s, prim), scalar(s, prim));
        s.own(b.bind("lit", new ArrayLit(elems, Type.scalar(prim))));
      }
      case 3 -> {
        var arrays = s.arrays();
        if (!arrays.isEmpty()) {
          s.own(b.bind("f", new Copy(choose(arrays).var)));
        }
      }
      default -> {
        var arrays = s.arrays().stream().filter(k -> k.var.type().dims().size() == 1).toList();
        if (!arrays.isEmpty()) {
          s.own(b.replicate(List.of(dim), choose(arrays).var));
        }
      }
    }
  }

  /** An array of this scope's own, consumed. */
  private Var taken(Scope s) {
    var own = s.arrays().stream().filter(k -> k.depth == s.depth).toList();
    if (own.isEmpty() || random.nextInt(3) == 0) {
      var arrays = s.arrays();
      return arrays.isEmpty()
          ? s.builder.replicate(List.of(choose(dims)), scalar(s, Prim.F64))
          : s.builder.bind("f", new Copy(choose(arrays).var));
    }
    var k = choose(own);
    s.consume(k);
    return k.var;
  }

  private void update(Scope s) {
    var a = taken(s);
    var slice = new ArrayList<DimSlice>();
    var rest = new ArrayList<Atom>();
    for (var d : a.type().dims()) {
      if (random.nextInt(3) == 0) {
        slice.add(new DimSlice.Range(Atom.i64(0), d, Atom.i64(1)));
        rest.add(d);
      } else {
        slice.add(new DimSlice.Fix(index(s, d)));
      }
    }
    var value = ofType(s, Type.of(a.type().elemPrim(), rest));
    s.own(s.builder.bind("up", new Update(a, slice, value, true)));
  }

  private void slice(Scope s) {
    var arrays = s.arrays();
    if (arrays.isEmpty()) {
      return;
    }
    var a = late(arrays).var;
    var slice = new ArrayList<DimSlice>();
    for (var d : a.type().dims()) {
      var start = s.builder.binary(BinaryOp.SUB, d, Atom.i64(1));
      slice.add(
          switch (random.nextInt(3)) {
            case 0 -> new DimSlice.Range(start, d, Atom.i64(-1));
            case 1 -> new DimSlice.Range(Atom.i64(0), d, Atom.i64(1));
            default -> new DimSlice.Fix(index(s, d));
          });
    }
    var x = s.builder.bind("sl", new Slice(a, slice, true));
    if (x.type().isScalar()) {
      s.own(x);
    } else {
      s.alias(x, a);
    }
  }

  // Scopes

  private void branch(Scope s) {
    var types = List.of(Type.scalar(choose(PRIMS)), resultType());
    var b1 = s.builder.inner();
    var s1 = s.inner(b1);
    var b2 = s.builder.inner();
    var s2 = s.inner(b2);
    statements(s1, random.nextInt(4));
    statements(s2, random.nextInt(4));
    var r1 = types.stream().map(t -> fresh(s1, t)).toList();
    var r2 = types.stream().map(t -> fresh(s2, t)).toList();
    var c = scalar(s, Prim.BOOL);
    s.builder.bindAll("if", types, new If(c, b1.body(r1), b2.body(r2))).forEach(s::own);
  }

  /** Of the type and, if an array, sharing memory with nothing. */
  private Atom fresh(Scope s, Type type) {
    var x = ofType(s, type);
    return type.isScalar() ? x : s.builder.bind("f", new Copy((Var) x));
  }

  private Type resultType() {
    var prim = choose(PRIMS);
    return switch (random.nextInt(3)) {
      case 0 -> Type.scalar(prim);
      case 1 -> Type.of(prim, List.of(choose(dims)));
      default -> Type.of(prim, List.of(choose(dims), choose(dims)));
    };
  }

  private void loop(Scope s) {
    var types = List.of(Type.scalar(choose(PRIMS)), resultType());
    var inits = types.stream().map(t -> fresh(s, t)).toList();
    var bound = random.nextBoolean() ? choose(dims) : Atom.i64(random.nextInt(4));
    s.builder
        .forLoop(
            bound,
            inits,
            (i, params) ->
                b -> {
                  var inner = new Scope(b, s.known, s.depth + 1);
                  inner.own(i);
                  params.forEach(inner::own);
                  statements(inner, random.nextInt(5));
                  return types.stream().map(t -> fresh(inner, t)).toList();
                })
        .forEach(s::own);
  }

  private List<Var> inputs(Scope s, Atom width) {
    var fitting =
        s.arrays().stream()
            .map(Known::var)
            .filter(v -> v.type().dims().getFirst().equals(width))
            .toList();
    var inputs = new ArrayList<Var>();
    for (int i = 0; i < 1 + random.nextInt(2) && !fitting.isEmpty(); i++) {
      inputs.add(late(fitting));
    }
    return inputs;
  }

  /** A lambda whose results have the types. */
  private Lambda lambda(Scope s, List<Var> inputs, List<Type> types) {
    var rows = inputs.stream().map(v -> Builder.rowType(v.type())).toList();
    return s.builder.lambda(
        rows,
        (b, params) -> {
          var inner = new Scope(b, s.known, s.depth + 1);
          inner.rows(params, inputs);
          statements(inner, random.nextInt(5));
          return types.stream().map(t -> ofType(inner, t)).toList();
        });
  }

  private void screma(Scope s) {
    var width = choose(dims);
    var inputs = inputs(s, width);
    var types = new ArrayList<Type>();
    var scans = new ArrayList<Scan>();
    var reduces = new ArrayList<Reduce>();
    if (random.nextInt(3) == 0) {
      var prim = choose(List.of(Prim.I64, Prim.F64, Prim.I32));
      scans.add(new Scan(s.builder.operator(BinaryOp.ADD, prim), List.of(Atom.of(prim, 0))));
      types.add(Type.scalar(prim));
    }
    if (random.nextInt(3) == 0) {
      var prim = choose(List.of(Prim.I64, Prim.F64, Prim.I32));
      var op = choose(List.of(BinaryOp.ADD, BinaryOp.MUL));
      var neutral = Atom.of(prim, op == BinaryOp.ADD ? 0 : 1);
      reduces.add(new Reduce(s.builder.operator(op, prim), List.of(neutral), true));
      types.add(Type.scalar(prim));
    }
    for (int i = 0; i < 1 + random.nextInt(2); i++) {
      types.add(
          random.nextInt(3) == 0
              ? Type.of(choose(PRIMS), List.of(choose(dims)))
              : Type.scalar(choose(PRIMS)));
    }
    var map = lambda(s, inputs, types);
    s.builder.screma(width, inputs, scans, reduces, map).forEach(s::own);
  }

  private void hist(Scope s) {
    var width = choose(dims);
    var size = choose(dims);
    var prim = choose(List.of(Prim.I64, Prim.F64));
    var dest = s.builder.replicate(List.of(size), scalar(s, prim));
    var inputs = inputs(s, width);
    var map = lambda(s, inputs, List.of(Type.I64, Type.scalar(prim)));
    var op =
        new HistOp(
            List.of(size),
            List.of(dest),
            List.of(Atom.of(prim, 0)),
            s.builder.operator(BinaryOp.ADD, prim));
    s.builder.bindAll("hist", new Hist(width, inputs, List.of(op), map)).forEach(s::own);
  }

  private void scatter(Scope s) {
    var width = choose(dims);
    var size = choose(dims);
    var dest = s.builder.replicate(List.of(size), scalar(s, Prim.F64));
    var value = scalar(s, Prim.F64);
    var inputs = inputs(s, width);
    // one value, so that the order of writes does not matter
    var map =
        s.builder.lambda(
            inputs.stream().map(v -> Builder.rowType(v.type())).toList(),
            (b, params) -> {
              var inner = new Scope(b, s.known, s.depth + 1);
              inner.rows(params, inputs);
              statements(inner, random.nextInt(3));
              return List.of(scalar(inner, Prim.I64), value);
            });
    var dests = List.of(new ScatterDest(List.of(size), dest));
    s.builder.bindAll("sc", new Scatter(width, inputs, dests, map)).forEach(s::own);
  }

  /** How many are kept, and sums and elements of what is kept, whose size no later scope knows. */
  private void filter(Scope s) {
    var width = choose(dims);
    var inputs = inputs(s, width);
    var values = List.<Type>of(Type.BOOL, Type.scalar(Prim.F64), Type.I64);
    var types = values.subList(0, 1 + random.nextInt(values.size()));
    var kept = s.builder.filter(width, inputs, lambda(s, inputs, types));
    var count = kept.getFirst();
    if (random.nextBoolean()) {
      s.own(count);
    }
    for (var v : kept.subList(1, kept.size())) {
      var prim = v.type().elemPrim();
      if (random.nextInt(4) > 0) {
        var plus = s.builder.operator(BinaryOp.ADD, prim);
        var sum = new Reduce(plus, List.of(Atom.of(prim, 0)), random.nextBoolean());
        var same = s.builder.lambda(List.of(Type.scalar(prim)), (_, p) -> p);
        s.builder.screma(count, List.of(v), List.of(), List.of(sum), same).forEach(s::own);
      }
      if (random.nextInt(4) == 0) {
        s.own(s.builder.bind("x", new Index(v, List.of(index(s, count)), true)));
      }
    }
  }

  /** Adds into an array from a map: at an index of its own, or at a random one. */
  private void accumulate(Scope s) {
    var width = choose(dims);
    var size = choose(dims);
    var prim = choose(List.of(Prim.I64, Prim.F64));
    var dest = s.builder.replicate(List.of(size), scalar(s, prim));
    var acc = new Type.Acc(Names.freshTag(), List.of(size), List.of(Type.scalar(prim)));
    var inputs = inputs(s, width);
    var body =
        s.builder.lambda(
            List.of(acc),
            (b, accs) -> {
              var all = new ArrayList<>(accs);
              all.addAll(inputs);
              all.add(b.iota(width));
              return b.map(width, all, (c, row) -> List.of(updateAcc(s, c, row, inputs, prim)));
            });
    s.builder
        .bindAll("acc", new WithAcc(List.of(s.builder.addInto(dest, 1)), body))
        .forEach(s::own);
  }

  private Atom updateAcc(Scope s, Builder b, List<Var> row, List<Var> inputs, Prim prim) {
    var inner = new Scope(b, s.known, s.depth + 1);
    inner.rows(row.subList(1, row.size() - 1), inputs);
    inner.own(row.getLast());
    statements(inner, random.nextInt(3));
    Var acc = row.getFirst();
    for (int i = 0; i < 1 + random.nextInt(2); i++) {
      var at = random.nextBoolean() ? row.getLast() : scalar(inner, Prim.I64);
      acc = b.bind("acc", new UpdateAcc(acc, List.of(at), List.of(scalar(inner, prim))));
    }
    return acc;
  }
}
