package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Random surface trees, of every kind of node, such as the parser could make. */
final class RandomTrees {
  private static final Span S = Span.NONE;
  private static final List<String> NAMES =
      List.of("a", "b", "xs", "x'", "foo_1", "_u", "T0", "i32", "of", "where");
  private static final List<String> SYMBOLS =
      List.of(
          "+", "*", "**", "==", "<", "<=", "&&", "||", "|>", "<|", "&", "^", "|", "<<", ">>>", "//",
          "%%", "!=", "+^", "=.", ">-", "!+", "%");
  private static final List<String> SUFFIXES = List.of("i8", "i64", "u16", "f32", "f16");

  private final Random random;

  RandomTrees(long seed) {
    // neighbouring seeds of Random itself would begin alike
    random = new Random(new SplittableRandom(seed).nextLong());
  }

  private int below(int n) {
    return random.nextInt(n);
  }

  private <T> T pick(List<T> from) {
    return from.get(below(from.size()));
  }

  private <T> List<T> many(int least, int most, Supplier<T> one) {
    int count = least + below(most - least + 1);
    var all = new ArrayList<T>();
    for (int i = 0; i < count; i++) {
      all.add(one.get());
    }
    return all;
  }

  /** Never just one. */
  private <T> List<T> tuple(Supplier<T> one) {
    return below(4) == 0 ? List.of() : many(2, 3, one);
  }

  private <T> Optional<T> maybe(Supplier<T> one) {
    return below(2) == 0 ? Optional.empty() : Optional.of(one.get());
  }

  private String name() {
    return pick(NAMES);
  }

  private String field() {
    return below(3) == 0 ? Integer.toString(below(12)) : name();
  }

  private QualName qualName() {
    return new QualName(below(3) == 0 ? many(1, 2, this::name) : List.of(), name());
  }

  private QualName operator() {
    var quals = below(5) == 0 ? List.of("M") : List.<String>of();
    return new QualName(quals, below(5) == 0 ? name() : pick(SYMBOLS));
  }

  /** What a binding may be named: an identifier, or now and then an operator. */
  private String boundName() {
    var symbol = pick(SYMBOLS);
    boolean definable = !symbol.equals("&&") && !symbol.equals("||");
    return below(4) == 0 && definable ? symbol : name();
  }

  private Attribute attribute() {
    var arguments =
        below(3) == 0 ? List.of(new Attribute("7", List.of(), S)) : List.<Attribute>of();
    return new Attribute(name(), arguments, S);
  }

  private Literal number() {
    if (below(2) == 0) {
      return new Literal.Int(new BigInteger(1 + below(70), random), maybe(() -> pick(SUFFIXES)));
    }
    var value = new BigDecimal(new BigInteger(1 + below(60), random), below(20) - 10);
    return new Literal.Float(value, maybe(() -> pick(List.of("f16", "f32", "f64"))));
  }

  private Literal literal() {
    return switch (below(4)) {
      case 0 -> new Literal.Bool(random.nextBoolean());
      case 1 -> new Literal.Char(pick(List.of((int) 'x', 10, (int) '\'', 0x1F600, 1, 0xE9, 92)));
      default -> number();
    };
  }

  private String text() {
    var pieces = List.of("a", "\"", "\\", "\n", "ß", "\u0001", "7", "😀", " -- ", "'");
    return String.join("", many(0, 5, () -> pick(pieces)));
  }

  TypeExp type(int depth) {
    if (depth <= 0) {
      return new TypeExp.Name(qualName(), S);
    }
    int d = depth - 1;
    return switch (below(9)) {
      case 0 -> new TypeExp.Name(qualName(), S);
      case 1 -> new TypeExp.Apply(type(d), many(1, 3, () -> argument(d)), S);
      case 2 -> new TypeExp.Array(size(d), type(d), S);
      case 3 -> new TypeExp.Tuple(tuple(() -> type(d)), S);
      case 4 -> new TypeExp.Record(many(0, 3, () -> new TypeExp.Field(field(), type(d), S)), S);
      case 5 ->
          new TypeExp.Sum(
              many(1, 3, () -> new TypeExp.Constructor(name(), many(0, 2, () -> type(d)), S)), S);
      case 6 -> new TypeExp.Function(maybe(this::name), type(d), type(d), S);
      case 7 -> new TypeExp.Unique(type(d), S);
      default -> new TypeExp.Existential(many(1, 2, this::name), type(d), S);
    };
  }

  private TypeExp.Argument argument(int depth) {
    return below(2) == 0
        ? new TypeExp.Argument.Size(size(depth), S)
        : new TypeExp.Argument.Type(type(depth), S);
  }

  private SizeExp size(int depth) {
    return below(3) == 0 ? new SizeExp.Any(S) : new SizeExp.Of(exp(depth), S);
  }

  private TypeParam typeParam() {
    return below(2) == 0
        ? new TypeParam.Size(name(), S)
        : new TypeParam.Type(
            pick(List.of(Liftedness.values())), pick(List.of("a", "foo", "ab'")), S);
  }

  Pattern pattern(int depth) {
    if (depth <= 0) {
      return below(4) == 0 ? new Pattern.Wildcard(S) : new Pattern.Name(name(), S);
    }
    int d = depth - 1;
    return switch (below(7)) {
      case 0 -> new Pattern.Name(name(), S);
      case 1 -> new Pattern.Constant(false, literal(), S);
      case 2 -> new Pattern.Constant(true, number(), S);
      case 3 -> new Pattern.Tuple(tuple(() -> pattern(d)), S);
      case 4 -> new Pattern.Record(many(0, 3, () -> new Pattern.Field(field(), pattern(d), S)), S);
      case 5 -> new Pattern.Construct(name(), many(0, 2, () -> pattern(d)), S);
      default ->
          below(3) == 0
              ? new Pattern.Attributed(attribute(), pattern(d), S)
              : new Pattern.Ascribe(pattern(d), type(d), S);
    };
  }

  private Exp leaf() {
    return switch (below(6)) {
      case 0, 1 -> new Exp.Constant(literal(), S);
      case 2 -> new Exp.Text(text(), S);
      case 3 -> new Exp.Hole(S);
      default -> new Exp.Var(below(5) == 0 ? operator() : qualName(), S);
    };
  }

  Exp exp(int depth) {
    if (depth <= 0) {
      return leaf();
    }
    int d = depth - 1;
    return switch (below(30)) {
      case 0, 1 -> leaf();
      case 2 -> new Exp.Array(many(0, 3, () -> exp(d)), S);
      case 3 -> new Exp.Tuple(tuple(() -> exp(d)), S);
      case 4 -> new Exp.Record(many(0, 3, () -> new Exp.Field(field(), exp(d), S)), S);
      case 5 -> new Exp.Construct(name(), many(0, 2, () -> exp(d)), S);
      case 6 -> new Exp.Project(exp(d), field(), S);
      case 7 -> new Exp.Index(exp(d), many(1, 2, () -> slice(d)), S);
      case 8 -> new Exp.Update(exp(d), many(1, 3, () -> step(d)), exp(d), S);
      case 9 ->
          new Exp.Range(
              exp(d), maybe(() -> exp(d)), pick(List.of(Exp.RangeKind.values())), exp(d), S);
      case 10 -> new Exp.LocalOpen(qualName(), exp(d), S);
      case 11, 12 -> new Exp.Apply(exp(d), many(1, 3, () -> exp(d)), S);
      case 13, 14, 15, 16 -> new Exp.Binary(exp(d), operator(), S, exp(d), S);
      case 17 -> new Exp.Negate(exp(d), S);
      case 18 -> new Exp.Not(exp(d), S);
      case 19 -> new Exp.LeftSection(exp(d), operator(), S, S);
      case 20 -> new Exp.RightSection(operator(), S, exp(d), S);
      case 21 -> new Exp.AccessSection(many(1, 3, () -> step(d)), S);
      case 22 -> new Exp.Lambda(many(1, 2, () -> pattern(d)), maybe(() -> type(d)), exp(d), S);
      case 23 -> new Exp.Let(many(0, 1, this::binder), pattern(d), exp(d), exp(d), S);
      case 24 ->
          new Exp.LetFunction(
              boundName(),
              S,
              many(0, 2, this::typeParam),
              many(1, 2, () -> pattern(d)),
              maybe(() -> type(d)),
              exp(d),
              exp(d),
              S);
      case 25 -> new Exp.If(exp(d), exp(d), exp(d), S);
      case 26 -> new Exp.Match(exp(d), many(1, 3, () -> new Exp.Case(pattern(d), exp(d), S)), S);
      case 27 -> new Exp.Loop(many(0, 1, this::binder), pattern(d), exp(d), form(d), exp(d), S);
      case 28 ->
          below(2) == 0 ? new Exp.Ascribe(exp(d), type(d), S) : new Exp.Coerce(exp(d), type(d), S);
      default ->
          below(2) == 0
              ? new Exp.Assert(exp(d), exp(d), S)
              : new Exp.Attributed(attribute(), exp(d), S);
    };
  }

  private Exp.SizeBinder binder() {
    return new Exp.SizeBinder(name(), S);
  }

  private Exp.Step step(int depth) {
    return below(2) == 0
        ? new Exp.Step.Field(field(), S)
        : new Exp.Step.Index(many(1, 2, () -> slice(depth)), S);
  }

  private Exp.Slice slice(int depth) {
    return below(2) == 0
        ? new Exp.Slice.At(exp(depth), S)
        : new Exp.Slice.Part(
            maybe(() -> exp(depth)), maybe(() -> exp(depth)), maybe(() -> exp(depth)), S);
  }

  private Exp.LoopForm form(int depth) {
    return switch (below(3)) {
      case 0 -> new Exp.LoopForm.For(name(), exp(depth), S);
      case 1 -> new Exp.LoopForm.ForIn(pattern(depth), exp(depth), S);
      default -> new Exp.LoopForm.While(exp(depth), S);
    };
  }

  private Modifiers modifiers(boolean local) {
    var docs = List.of("Doc.", "Two\nlines: `f`", "One\n\n  indented");
    return new Modifiers(
        below(3) == 0 ? Optional.of(pick(docs)) : Optional.empty(),
        below(3) == 0 ? List.of(attribute()) : List.of(),
        local && below(4) == 0);
  }

  private Liftedness liftedness() {
    return pick(List.of(Liftedness.values()));
  }

  private ModuleTypeExp moduleType(int depth) {
    if (depth <= 0) {
      return new ModuleTypeExp.Name(qualName(), S);
    }
    int d = depth - 1;
    return switch (below(4)) {
      case 0 -> new ModuleTypeExp.Name(qualName(), S);
      case 1 -> new ModuleTypeExp.Specs(many(0, 3, () -> spec(d)), S);
      case 2 ->
          new ModuleTypeExp.With(
              moduleType(d), qualName(), many(0, 2, this::typeParam), type(d), S);
      default -> new ModuleTypeExp.Function(maybe(this::name), moduleType(d), moduleType(d), S);
    };
  }

  private Spec spec(int d) {
    return switch (below(4)) {
      case 0 ->
          new Spec.Value(modifiers(false), boundName(), many(0, 2, this::typeParam), type(d), S);
      case 1 ->
          new Spec.Type(
              modifiers(false),
              liftedness(),
              name(),
              many(0, 2, this::typeParam),
              maybe(() -> type(d)),
              S);
      case 2 -> new Spec.Module(modifiers(false), name(), moduleType(d), S);
      default -> new Spec.Include(modifiers(false), moduleType(d), S);
    };
  }

  private ModuleParam moduleParam(int depth) {
    return new ModuleParam(name(), moduleType(depth), S);
  }

  private ModuleExp module(int depth) {
    if (depth <= 0) {
      return below(4) == 0 ? new ModuleExp.Import("a/b", S) : new ModuleExp.Name(qualName(), S);
    }
    int d = depth - 1;
    return switch (below(4)) {
      case 0 -> new ModuleExp.Apply(module(d), module(d), S);
      case 1 -> new ModuleExp.Seal(module(d), moduleType(d), S);
      case 2 -> new ModuleExp.Lambda(moduleParam(d), maybe(() -> moduleType(d)), module(d), S);
      default -> new ModuleExp.Block(many(0, 2, () -> declaration(d)), S);
    };
  }

  Declaration declaration(int d) {
    return switch (below(7)) {
      case 0, 1 -> {
        boolean entry = below(3) == 0;
        var name = boundName();
        yield new Declaration.Value(
            modifiers(true),
            entry && name.indexOf('\'') < 0,
            name,
            S,
            many(0, 2, this::typeParam),
            many(0, 2, () -> pattern(d)),
            maybe(() -> type(d)),
            exp(d),
            S);
      }
      case 2 ->
          new Declaration.Type(
              modifiers(true), liftedness(), name(), many(0, 2, this::typeParam), type(d), S);
      case 3 ->
          new Declaration.Module(
              modifiers(true),
              name(),
              many(0, 2, () -> moduleParam(d)),
              maybe(() -> moduleType(d)),
              module(d),
              S);
      case 4 -> new Declaration.ModuleType(modifiers(true), name(), moduleType(d), S);
      case 5 -> new Declaration.Open(modifiers(true), module(d), S);
      default -> new Declaration.Import(modifiers(true), "lib/" + name(), S);
    };
  }

  /** The same file without one of its declarations. */
  static Stream<SourceFile> shorter(SourceFile file) {
    return IntStream.range(0, file.declarations().size())
        .mapToObj(
            i -> {
              var rest = new ArrayList<>(file.declarations());
              rest.remove(i);
              return new SourceFile(file.name(), file.doc(), rest, file.span());
            });
  }

  SourceFile file(int depth) {
    var doc = below(4) == 0 ? Optional.of("About\nthe file.") : Optional.<String>empty();
    return new SourceFile("random.fut", doc, many(0, 4, () -> declaration(depth)), S);
  }
}
