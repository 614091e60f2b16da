package dev.kenaz.distribute;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Brings a program into the form that the labels understand.
 *
 * <ul>
 *   <li>{@code map (\i -> … xs[i] …) (iota n)}, where xs has n rows, goes over xs itself: the row
 *       is the piece's own.
 *   <li>An element of a range is computed, rather than read.
 *   <li>What is read of a transposed array is read of the array, whose rows may be the dataset's.
 *   <li>A branch that gives an array of a constant size where there are as many rows, {@code if n
 *       == 0 then [] else …}, gives so many rows.
 *   <li>What an accumulation computes without its accumulators is computed before it, so that a
 *       stage may end in between.
 * </ul>
 */
final class Prepare implements Rewriter {
  private final Set<Var> rowNumbers = new HashSet<>();
  private final Map<Var, Iota> ranges = new HashMap<>();
  private final Map<Var, Rearrange> turned = new HashMap<>();

  @Override
  public List<Stm> stm(Stm stm) {
    if (stm.exp() instanceof Iota i) {
      ranges.put(stm.var(), i);
      if (i.n() instanceof Var && i.isCounter()) {
        rowNumbers.add(stm.var());
      }
    }
    if (stm.exp() instanceof Rearrange r) {
      turned.put(stm.var(), r);
    }
    if (stm.exp() instanceof Index(var range, var is, var checked) && ranges.containsKey(range)) {
      return number(stm, ranges.get(range), is.getFirst(), checked);
    }
    if (stm.exp() instanceof Index(var array, var is, var checked) && turned.containsKey(array)) {
      return ofTurned(stm, turned.get(array), is, checked);
    }
    if (stm.exp() instanceof Slice(var array, var dims, var checked)
        && turned.containsKey(array)
        && dims.stream().filter(d -> d instanceof DimSlice.Range).count() == 1) {
      var exp = new Slice(turned.get(array).array(), inOrder(turned.get(array), dims), checked);
      return List.of(stm.with(exp));
    }
    return Rewriter.super.stm(stm).stream()
        .map(Prepare::withRows)
        .flatMap(s -> hoisted(s).stream())
        .toList();
  }

  private static Stm withRows(Stm stm) {
    return stm.exp() instanceof If(var condition, var then, var otherwise)
        ? stm.with(new If(condition, withRows(stm, then), withRows(stm, otherwise)))
        : stm;
  }

  /**
   * Reads the rows of an array of a constant size by the numbers of the rows that it stands for.
   */
  private static Body withRows(Stm stm, Body branch) {
    var b = new Builder(stm.span());
    b.addAll(branch.stms());
    var results = new ArrayList<Atom>();
    for (int i = 0; i < stm.pattern().size(); i++) {
      var result = branch.results().get(i);
      if (result instanceof Var v
          && v.type() instanceof Type.Array(_, var dims)
          && dims.getFirst() instanceof Const
          && stm.pattern().get(i).type().dims().getFirst() instanceof Var rows
          && !stm.pattern().contains(rows)) {
        result =
            b.map(rows, List.of(b.iota(rows)), (in, p) -> List.of(in.index(v, p.getFirst())))
                .getFirst();
      }
      results.add(result);
    }
    return b.stms().size() == branch.stms().size() ? branch : b.body(results);
  }

  /** Computes an element of a range. */
  private static List<Stm> number(Stm stm, Iota range, Atom i, boolean checked) {
    var b = new Builder(stm.span());
    if (checked) {
      OwnRow.check(b, i, range.n());
    }
    var steps = b.mul(b.convert(range.start().type().elemPrim(), i), range.step());
    b.bindAll(stm.pattern(), new Alias(b.add(range.start(), steps)));
    return b.stms();
  }

  /** Reads an element of an array whose dimensions are in another order. */
  private static List<Stm> ofTurned(Stm stm, Rearrange turned, List<Atom> is, boolean checked) {
    if (is.size() < turned.perm().size()) {
      return List.of(stm);
    }
    var b = new Builder(stm.span());
    if (checked) {
      var dims = turned.array().type().dims();
      OwnRow.check(b, is, turned.perm().stream().map(dims::get).toList());
    }
    b.with(stm.attrs())
        .bindAll(stm.pattern(), new Index(turned.array(), inOrder(turned, is), false));
    return b.stms();
  }

  private static <T> List<T> inOrder(Rearrange turned, List<T> byDimension) {
    return IntStream.range(0, byDimension.size())
        .mapToObj(d -> byDimension.get(turned.perm().indexOf(d)))
        .toList();
  }

  @Override
  public Exp exp(Exp exp) {
    var rewritten = Rewriter.super.exp(exp);
    return switch (rewritten) {
      case Screma s when s.width() instanceof Var width -> {
        var extra = extraInputs(width, s.inputs(), s.map());
        yield extra
            .<Exp>map(x -> new Screma(s.width(), x.inputs, s.scans(), s.reduces(), x.map))
            .orElse(s);
      }
      case Hist h when h.width() instanceof Var width -> {
        var extra = extraInputs(width, h.inputs(), h.map());
        yield extra.<Exp>map(x -> new Hist(h.width(), x.inputs, h.ops(), x.map)).orElse(h);
      }
      default -> rewritten;
    };
  }

  private record Extended(List<Var> inputs, Lambda map) {}

  private Optional<Extended> extraInputs(Var width, List<Var> inputs, Lambda map) {
    Var number = null;
    for (int i = 0; i < inputs.size(); i++) {
      if (rowNumbers.contains(inputs.get(i))) {
        number = map.params().get(i);
      }
    }
    if (number == null) {
      return Optional.empty();
    }
    var own = new HashMap<Var, Var>();
    for (var free : FreeVars.of(map)) {
      if (free.type() instanceof Type.Array a && width.equals(a.shape().getFirst())) {
        own.put(free, Names.fresh(free.name(), a.row()));
      }
    }
    if (own.isEmpty()) {
      return Optional.empty();
    }
    var newInputs = new ArrayList<>(inputs);
    var params = new ArrayList<>(map.params());
    own.forEach(
        (array, row) -> {
          newInputs.add(array);
          params.add(row);
        });
    var body = new OwnRows(number, own).body(map.body());
    return Optional.of(new Extended(newInputs, new Lambda(params, body, map.returns())));
  }

  /** Replaces reads of an array at the own row's number by the row. */
  private record OwnRows(Var number, Map<Var, Var> rows) implements Rewriter {
    @Override
    public List<Stm> stm(Stm stm) {
      var b = new Builder(stm.span());
      if (stm.exp() instanceof Index(var array, var is, var checked)
          && rows.containsKey(array)
          && number.equals(is.getFirst())) {
        if (checked) {
          OwnRow.check(b, is, array.type().dims());
        }
        var row = rows.get(array);
        var rest = is.subList(1, is.size());
        b.with(stm.attrs())
            .bindAll(stm.pattern(), rest.isEmpty() ? new Alias(row) : new Index(row, rest, false));
        return b.stms();
      }
      if (stm.exp() instanceof Slice(var array, var dims, var checked)
          && rows.containsKey(array)
          && dims.getFirst().equals(new DimSlice.Fix(number))) {
        var row = rows.get(array);
        var rest = new Slice(row, dims.subList(1, dims.size()), checked);
        return List.of(stm.with(rest));
      }
      return Rewriter.super.stm(stm);
    }
  }

  private static List<Stm> hoisted(Stm stm) {
    if (!(stm.exp() instanceof WithAcc(var inputs, var lambda))) {
      return List.of(stm);
    }
    var tied = new HashSet<Var>(lambda.params());
    var before = new ArrayList<Stm>();
    var inside = new ArrayList<Stm>();
    for (var s : lambda.body().stms()) {
      if (s.exp() instanceof Assert
          || FreeVars.of(s).stream().anyMatch(tied::contains)
          || !Aliases.of(s).consumed().isEmpty()) {
        inside.add(s);
        tied.addAll(s.pattern());
      } else {
        before.add(s);
      }
    }
    if (before.isEmpty()) {
      return List.of(stm);
    }
    List<Atom> results = lambda.body().results();
    var body = new Lambda(lambda.params(), new Body(inside, results), lambda.returns());
    before.add(new Stm(stm.pattern(), new WithAcc(inputs, body), stm.attrs(), stm.span()));
    return before;
  }
}
