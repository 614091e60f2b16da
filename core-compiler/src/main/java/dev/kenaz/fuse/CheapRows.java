package dev.kenaz.fuse;

import dev.kenaz.analysis.Effects;
import dev.kenaz.analysis.Sharing;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Computes the elements of a cheap row again wherever they are read, if nested operators make such
 * a row for each pair of rows of smaller arrays:
 *
 * <pre>
 *   map x (map m (let c = map2 (-) x m in f c c))
 *     where f reads c more than once, is the same with x[i] - m[i] for each c[i]
 * </pre>
 *
 * <p>On a machine on which all nested operators run at once the rows together are an array that is
 * larger than those it is made of by a dimension, and to write and read it takes longer than to
 * compute it.
 */
final class CheapRows implements CodeRewriter {
  /** To compute so much again is cheaper than to keep it. */
  private static final int CHEAP = 2;

  private static final Set<BinaryOp> CHEAP_ONES = Set.of(BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL);

  private final Sharing sharing;

  /** What varies with the parameters of each of the operators around. */
  private final List<Set<Var>> around = new ArrayList<>();

  private CheapRows(Sharing sharing) {
    this.sharing = sharing;
  }

  static CoreProgram run(CoreProgram program) {
    return new CheapRows(Sharing.of(program)).program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    boolean nest = stm.exp() instanceof Screma s && hasOperators(s.map().body());
    if (!nest) {
      return CodeRewriter.super.stm(stm);
    }
    around.add(Varying.in(((Screma) stm.exp()).map()));
    var inner = CodeRewriter.super.stm(stm);
    around.removeLast();
    return inner;
  }

  private static boolean hasOperators(Body body) {
    return body.stms().stream()
        .anyMatch(
            s ->
                s.exp() instanceof Soac
                    || Effects.bodies(s.exp()).anyMatch(CheapRows::hasOperators));
  }

  @Override
  public Body body(Body body) {
    var now = CodeRewriter.super.body(body);
    for (int i = 0; i < now.stms().size() && !around.isEmpty(); i++) {
      var stm = now.stms().get(i);
      if (stm.exp() instanceof Screma s) {
        for (int result : mapped(s)) {
          now = without(now, stm, s, result);
        }
      }
    }
    return now;
  }

  /** Returns which results are arrays of what the function gives; first what is made last. */
  private static List<Integer> mapped(Screma s) {
    var body = s.map().body();
    var made = body.stms().stream().flatMap(t -> t.pattern().stream()).toList();
    return IntStream.range(operands(s), body.results().size())
        .boxed()
        .sorted(Comparator.comparing(k -> -made.indexOf(body.results().get(k))))
        .toList();
  }

  private static int operands(Screma s) {
    return s.scanWidth() + s.reduceWidth();
  }

  private Body without(Body body, Stm stm, Screma s, int result) {
    var row = stm.pattern().get(result);
    return alone(stm, s, result)
        .filter(this::isLarger)
        .flatMap(map -> without(body, stm, new Reader(row, map)))
        .orElse(body);
  }

  /**
   * Returns the map that makes a result by next to no arithmetic, of rows that nothing overwrites:
   * inputs of the operator, or another result of it.
   */
  private Optional<Screma> alone(Stm stm, Screma s, int result) {
    var lambda = s.map();
    var inputs = new ArrayList<Var>();
    var params = new ArrayList<Var>();
    var code = new ArrayDeque<Stm>();
    var needed = new LinkedHashSet<Atom>(Set.of(lambda.body().results().get(result)));
    for (var t : lambda.body().stms().reversed()) {
      for (var v : t.pattern()) {
        if (!needed.contains(v)) {
          continue;
        }
        int other = lambda.body().results().lastIndexOf(v);
        if (other >= operands(s) && other != result) {
          inputs.add(stm.pattern().get(other));
          params.add(v);
        } else if (isCheap(t)) {
          code.push(t);
          needed.addAll(FreeVars.of(t));
        } else {
          return Optional.empty();
        }
      }
    }
    for (int k = 0; k < s.inputs().size(); k++) {
      if (needed.contains(lambda.params().get(k))) {
        inputs.add(s.inputs().get(k));
        params.add(lambda.params().get(k));
      }
    }
    boolean cheap = !code.isEmpty() && code.size() <= CHEAP;
    if (!cheap || inputs.isEmpty() || inputs.stream().anyMatch(v -> !isPlain(v))) {
      return Optional.empty();
    }
    var row = lambda.body().results().subList(result, result + 1);
    var body = new Body(List.copyOf(code), row);
    var type = lambda.returns().subList(result, result + 1);
    var map = new Renaming().lambda(new Lambda(params, body, type));
    return Optional.of(new Screma(s.width(), inputs, List.of(), List.of(), map));
  }

  private static boolean isCheap(Stm stm) {
    return stm.exp() instanceof Binary b && CHEAP_ONES.contains(b.op());
  }

  /** Whether it is an array that stays as it is. */
  private boolean isPlain(Var v) {
    return v.type().isArray() && !sharing.consumed(v);
  }

  /** Whether one of the inputs depends on fewer of the operators around than the row does. */
  private boolean isLarger(Screma map) {
    var all = new HashSet<Integer>();
    var each = map.inputs().stream().map(this::levels).toList();
    each.forEach(all::addAll);
    FreeVars.of(map.map()).forEach(v -> all.addAll(levels(v)));
    return all.size() > 1 && each.stream().anyMatch(levels -> levels.size() < all.size());
  }

  /** Returns which of the operators around a variable depends on. */
  private Set<Integer> levels(Var v) {
    return IntStream.range(0, around.size())
        .filter(k -> around.get(k).contains(v))
        .boxed()
        .collect(Collectors.toSet());
  }

  /** Returns the body without the row, if all that it is read by can read its inputs. */
  private static Optional<Body> without(Body body, Stm stm, Reader reader) {
    int at = body.stms().indexOf(stm) + 1;
    var after = new Body(body.stms().subList(at, body.stms().size()), body.results());
    var next = reader.body(after);
    if (FreeVars.of(next).contains(reader.row)) {
      return Optional.empty();
    }
    var stms = new ArrayList<>(body.stms().subList(0, at));
    stms.addAll(next.stms());
    return Optional.of(new Body(stms, next.results()));
  }

  /** Reads the inputs of a map in the place of its result. */
  private record Reader(Var row, Screma map) implements CodeRewriter {
    @Override
    public List<Stm> stm(Stm stm) {
      var inner = CodeRewriter.super.stm(stm).getFirst();
      return switch (inner.exp()) {
        case Screma s when s.inputs().contains(row) ->
            List.of(inner.with(inner.pattern(), read(s)));
        case Index(var a, var is, var checked) when a.equals(row) && !checked -> {
          var b = new Builder(inner.span());
          var elements =
              map.inputs().stream().map(in -> b.bind(in.name(), new Index(in, is, false))).toList();
          var value = b.call(map.map(), elements).getFirst();
          b.add(inner.with(inner.pattern(), new Alias(value)));
          yield b.stms();
        }
        default -> List.of(inner);
      };
    }

    private Screma read(Screma s) {
      var inputs = new ArrayList<Var>();
      var params = new ArrayList<Var>();
      var b = new Builder(Span.NONE);
      for (int k = 0; k < s.inputs().size(); k++) {
        var param = s.map().params().get(k);
        if (!s.inputs().get(k).equals(row)) {
          inputs.add(s.inputs().get(k));
          params.add(param);
          continue;
        }
        var mine = map.map().params().stream().map(Names::like).toList();
        inputs.addAll(map.inputs());
        params.addAll(mine);
        var value = b.call(map.map(), mine).getFirst();
        b.bindAll(List.of(param), new Alias(value));
      }
      b.addAll(s.map().body().stms());
      var lambda = new Lambda(params, b.body(s.map().body().results()), s.map().returns());
      return new Screma(s.width(), inputs, s.scans(), s.reduces(), lambda);
    }
  }
}
