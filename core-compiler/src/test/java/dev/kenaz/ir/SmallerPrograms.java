package dev.kenaz.ir;

import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Replicate;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Programs a step smaller than one that fails: a result or a statement fewer, or ones. */
public final class SmallerPrograms {
  private SmallerPrograms() {}

  /** Those that are still well-typed, which leave most out first. */
  public static Stream<CoreProgram> of(CoreProgram program) {
    int statements = new Counting().count(program);
    var without = IntStream.range(0, statements).mapToObj(i -> changed(program, i, _ -> List.of()));
    var ones =
        IntStream.range(0, statements).mapToObj(i -> changed(program, i, SmallerPrograms::ones));
    return Stream.of(fewerResults(program), without, ones)
        .flatMap(s -> s)
        .filter(p -> !p.equals(program) && verifies(p));
  }

  private static boolean verifies(CoreProgram program) {
    try {
      Verifier.check(program);
      return true;
    } catch (RuntimeException _) {
      return false;
    }
  }

  private static Stream<CoreProgram> fewerResults(CoreProgram program) {
    var f = program.functions().getLast();
    var entry = program.entries().getFirst();
    int sizes = entry.resultSizes();
    return IntStream.range(sizes, f.returns().size())
        .mapToObj(
            i -> {
              var body = new Body(f.body().stms(), without(f.body().results(), i));
              var returns = without(f.returns(), i);
              var names = without(f.returnSizes(), i);
              var g = new FunDef(f.name(), f.params(), returns, names, body);
              var results = without(entry.results(), i - sizes);
              return new CoreProgram(
                  Stream.concat(
                          program.functions().stream().limit(program.functions().size() - 1),
                          Stream.of(g))
                      .toList(),
                  List.of(
                      new EntryPoint(
                          entry.name(),
                          entry.function(),
                          entry.sizeParams(),
                          entry.params(),
                          sizes,
                          results)));
            });
  }

  private static <T> List<T> without(List<T> list, int at) {
    var rest = new ArrayList<>(list);
    rest.remove(at);
    return rest;
  }

  /** Ones in place of whatever is computed. */
  private static List<Stm> ones(Stm stm) {
    if (stm.pattern().stream().anyMatch(v -> v.type() instanceof Type.Acc)) {
      return List.of(stm);
    }
    return stm.pattern().stream()
        .map(v -> new Stm(List.of(v), ones(v.type()), stm.span()))
        .toList();
  }

  private static Exp ones(Type type) {
    var one = new Const(ScalarValue.ofLong(type.elemPrim(), 1));
    return type.isScalar() ? new Alias(one) : new Replicate(type.dims(), one);
  }

  private static CoreProgram changed(CoreProgram program, int at, Function<Stm, List<Stm>> change) {
    return new Counting().at(at, change).program(program);
  }

  /** Counts statements, outer ones before those inside, and changes one of them. */
  private static final class Counting implements Rewriter {
    private int count;
    private Optional<Function<Stm, List<Stm>>> change = Optional.empty();
    private int at;

    Counting at(int at, Function<Stm, List<Stm>> change) {
      this.at = at;
      this.change = Optional.of(change);
      return this;
    }

    int count(CoreProgram program) {
      program(program);
      return count;
    }

    @Override
    public List<Stm> stm(Stm stm) {
      return count++ == at && change.isPresent()
          ? change.get().apply(stm)
          : Rewriter.super.stm(stm);
    }
  }
}
