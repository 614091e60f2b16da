package dev.kenaz.flatten;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Var;
import dev.kenaz.pass.Pass;
import dev.kenaz.segir.MentionedVars;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import dev.kenaz.segir.SegOp.SegFilter;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegOp.SegRed;
import dev.kenaz.segir.SegOp.SegScan;
import dev.kenaz.segir.SegOp.SegScatter;
import dev.kenaz.segir.SegProgram;
import dev.kenaz.segir.SegStm;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Makes one {@link SegFilter} of a scan that counts what is kept and a scatter to where the counts
 * say, for a machine that goes through the elements in order.
 *
 * <pre>
 *   (counts, flags) = segscan (+) (i &lt; n)  let f = p xs[i] in (i64 f, f)
 *   total           = if n == 0 then 0 else counts[n - 1]
 *   kept            = segscatter (i &lt; n) into scratch [total]
 *                       (if flags[i] then counts[i] - 1 else -1, xs[i])
 * becomes
 *   (total, kept)   = segfilter (i &lt; n)  let f = p xs[i] in (f, xs[i])
 * </pre>
 *
 * <p>The scan stays as far as others need it; then what is kept is decided twice, if that is cheap.
 */
public final class Filters {
  public static final Pass<SegProgram, SegProgram> PASS =
      Pass.of("filters", "a scan that counts and the scatter that keeps are one", Filters::in);

  /** At most this many statements may be executed twice. */
  private static final int CHEAP = 12;

  private final List<SegStm> stms;
  private final List<Atom> results;

  private Filters(List<SegStm> stms, List<Atom> results) {
    this.stms = stms;
    this.results = results;
  }

  private static SegProgram in(SegProgram program) {
    return new SegProgram(
        program.functions().stream()
            .map(f -> new SegProgram.SegFun(f.entry(), f.params(), f.returns(), in(f.body())))
            .toList(),
        program.callees().stream()
            .map(c -> new SegProgram.Callee(c.function(), in(c.body()), c.sequential()))
            .toList());
  }

  static SegBody in(SegBody body) {
    var stms = new ArrayList<SegStm>();
    body.stms().forEach(s -> stms.add(new SegStm(s.pattern(), in(s.exp()), s.attrs(), s.span())));
    var filters = new Filters(stms, body.results());
    for (int at = 0; at < stms.size(); at++) {
      if (stms.get(at).exp() instanceof SegExp.Par(SegScatter _)) {
        int before = stms.size();
        filters.at(at);
        at -= before - stms.size();
      }
    }
    for (int at = 0; at < stms.size(); at++) {
      if (stms.get(at).exp() instanceof SegExp.Branch) {
        at = filters.counted(at).stream().anyMatch(filters::replace) ? 0 : at;
      }
    }
    return new SegBody(stms, body.results());
  }

  private static SegExp in(SegExp exp) {
    return switch (exp) {
      case SegExp.Plain _, SegExp.Par _ -> exp;
      case SegExp.Branch(var c, var then, var otherwise) ->
          new SegExp.Branch(c, in(then), in(otherwise));
      case SegExp.Iterate(var params, var form, var body) ->
          new SegExp.Iterate(params, form, in(body));
      case SegExp.Accumulate(var inputs, var accs, var body) ->
          new SegExp.Accumulate(inputs, accs, in(body));
      case SegExp.Versions(var extents, var wide, var narrow) ->
          new SegExp.Versions(extents, in(wide), in(narrow));
    };
  }

  /**
   * The statements that keep or count.
   *
   * @param scatter the statement that keeps; -1 if what is kept is only counted
   * @param scan the statement that counts
   * @param branch the statement that tells how many there are
   * @param flag what the scan's body counts
   * @param flags an array of it
   * @param index where the scatter puts an element
   */
  private record Found(
      int scatter, int scan, int branch, Var total, Var counts, Atom flag, Var flags, Var index) {
    boolean keeps() {
      return scatter >= 0;
    }

    int last() {
      return keeps() ? scatter : branch;
    }
  }

  private void at(int scatter) {
    found(scatter).map(this::replace);
  }

  private SegScatter scatter(int at) {
    return (SegScatter) ((SegExp.Par) stms.get(at).exp()).op();
  }

  private SegScan scan(int at) {
    return (SegScan) ((SegExp.Par) stms.get(at).exp()).op();
  }

  private Optional<Found> found(int at) {
    var s = scatter(at);
    int n = s.dests().size();
    var body = s.body();
    if (s.space().dims().size() != 1
        || !(body.results().getFirst() instanceof Var index)
        || !body.results().subList(0, n).stream().allMatch(index::equals)
        || body.results().subList(n, 2 * n).contains(index)
        || !(s.dests().getFirst().shape().getFirst() instanceof Var total)
        || !s.dests().stream().allMatch(d -> d.shape().equals(List.of(total)) && scratch(d, at))
        || !(define(body.stms(), index) instanceof SegExp.Branch b)
        || !(b.condition() instanceof Var keep)
        || !b.otherwise().results().equals(List.of(Atom.i64(-1)))
        || b.then().stms().size() != 1
        || !b.then().results().equals(List.<Atom>copyOf(b.then().stms().getFirst().pattern()))
        || !(plain(b.then().stms().getFirst().exp())
            instanceof Binary(var op, Var count, var minus))
        || op != BinaryOp.ADD
        || !minus.isConst(-1)) {
      return Optional.empty();
    }
    var counts = element(s, count);
    var flags = element(s, keep);
    int scan = position(counts);
    int last = position(total);
    if (counts == null || flags == null || scan < 0 || last <= scan) {
      return Optional.empty();
    }
    var width = s.space().innermost().width();
    var flag = counts(scan, width, counts);
    int k = stms.get(scan).pattern().indexOf(flags);
    return k >= 0
            && flag != null
            && flag.equals(scan(scan).body().results().get(k))
            && counts.equals(last(last, total))
            && isLast(last, total, width)
        ? Optional.of(new Found(at, scan, last, total, counts, flag, flags, index))
        : Optional.empty();
  }

  /** Finds what a branch tells the number of, where nothing keeps it. */
  private List<Found> counted(int at) {
    var all = new ArrayList<Found>();
    for (var total : stms.get(at).pattern()) {
      var counts = last(at, total);
      int scan = counts == null ? -1 : position(counts);
      if (scan >= 0 && scan < at && stms.get(scan).exp() instanceof SegExp.Par(SegScan s)) {
        var width = s.space().innermost().width();
        var flag = counts(scan, width, counts);
        if (flag != null && isLast(at, total, width)) {
          all.add(new Found(-1, scan, at, total, counts, flag, null, null));
        }
      }
    }
    return all;
  }

  private static Exp plain(SegExp e) {
    return e instanceof SegExp.Plain(var exp) ? exp : null;
  }

  private static SegExp define(List<SegStm> stms, Atom v) {
    return stms.stream()
        .filter(s -> s.pattern().contains(v))
        .map(SegStm::exp)
        .findFirst()
        .orElse(null);
  }

  private int position(Var v) {
    for (int k = 0; k < stms.size(); k++) {
      if (stms.get(k).pattern().contains(v)) {
        return k;
      }
    }
    return -1;
  }

  /** The array of which the variable is the element at the point. */
  private static Var element(SegOp op, Var v) {
    return plain(define(op.body().stms(), v)) instanceof Index(var array, var is, _)
            && is.equals(List.of(op.space().innermost().index()))
        ? array
        : null;
  }

  private boolean scratch(ScatterDest d, int before) {
    int k = position(d.dest());
    return k >= 0 && k < before && plain(stms.get(k).exp()) instanceof Scratch;
  }

  /** The flag that the array counts, or null. */
  private Atom counts(int at, Atom width, Var counts) {
    if (!(stms.get(at).exp() instanceof SegExp.Par(SegScan s))
        || s.space().dims().size() != 1
        || !s.space().innermost().width().equals(width)) {
      return null;
    }
    int k = stms.get(at).pattern().indexOf(counts);
    if (k >= s.scans().size() || s.scans().stream().anyMatch(x -> x.neutral().size() != 1)) {
      return null;
    }
    var scan = s.scans().get(k);
    var step = scan.op().body();
    return scan.neutral().getFirst().isConst(0)
            && counts.type().elemPrim() == Prim.I64
            && step.stms().size() == 1
            && step.results().equals(List.<Atom>copyOf(step.stms().getFirst().pattern()))
            && step.stms().getFirst().exp() instanceof Binary(var op, var x, var y)
            && op == BinaryOp.ADD
            && !x.equals(y)
            && scan.op().params().containsAll(List.of(x, y))
            && plain(define(s.body().stms(), s.body().results().get(k)))
                instanceof Convert(_, var flag)
            && flag.type().elemPrim() == Prim.BOOL
        ? flag
        : null;
  }

  /** The array of which the branch takes an element for this variable, or null. */
  private Var last(int at, Var total) {
    int k = stms.get(at).pattern().indexOf(total);
    return stms.get(at).exp() instanceof SegExp.Branch(_, _, var otherwise)
            && plain(define(otherwise.stms(), otherwise.results().get(k)))
                instanceof Index(var array, var is, _)
            && is.size() == 1
        ? array
        : null;
  }

  /** Whether that is the last element, or 0 if there is none. */
  private boolean isLast(int at, Var total, Atom width) {
    int k = stms.get(at).pattern().indexOf(total);
    return stms.get(at).exp() instanceof SegExp.Branch(var none, var then, var otherwise)
        && plain(define(stms, none)) instanceof Compare(var eq, var n, var zero)
        && eq == CompareOp.EQ
        && n.equals(width)
        && zero.isConst(0)
        && then.results().get(k).isConst(0)
        && plain(define(otherwise.stms(), otherwise.results().get(k)))
            instanceof Index(_, var is, _)
        && isLast(is.getFirst(), otherwise.stms(), width);
  }

  private boolean isLast(Atom place, List<SegStm> inside, Atom width) {
    var definition = define(inside, place);
    return plain(definition == null ? define(stms, place) : definition)
            instanceof Binary(var op, var n, var minus)
        && op == BinaryOp.ADD
        && n.equals(width)
        && minus.isConst(-1);
  }

  // What it becomes

  /** Replaces what was found, if that is possible; tells whether it was. */
  private boolean replace(Found f) {
    var scan = scan(f.scan);
    var pattern = stms.get(f.scan).pattern();
    var others = others(f);
    // the branch and the scatter go, but not what the branch computes besides
    var elsewhere = new HashSet<>(mentioned(results));
    others.ifPresent(o -> elsewhere.addAll(MentionedVars.of(o.exp())));
    for (int k = 0; k < stms.size(); k++) {
      if (k != f.scan && k != f.branch && k != f.scatter) {
        elsewhere.addAll(MentionedVars.of(stms.get(k).exp()));
      }
    }
    boolean alone = pattern.stream().noneMatch(elsewhere::contains);
    if (elsewhere.contains(f.counts)
        || !alone && !cheap(scan.body())
        || stms.subList(f.scan + 1, Math.max(f.scatter, f.branch + 1)).stream()
            .anyMatch(s -> !quiet(s.exp()))) {
      return false;
    }
    var body =
        f.keeps()
            ? body(f, scan, scatter(f.scatter))
            : Optional.of(new SegBody(scan.body().stms(), List.of(f.flag)));
    if (body.isEmpty() || f.keeps() && !bound(f, body.get())) {
      return false;
    }
    var all = new ArrayList<SegStm>();
    for (int k = 0; k < stms.size(); k++) {
      var stm = stms.get(k);
      if (k == f.scan) {
        if (!alone) {
          all.add(without(stm, scan, f, elsewhere));
        }
      } else if (k == f.branch) {
        others.ifPresent(all::add);
        all.add(filter(f, body.get()));
      } else if (k != f.scatter && !isDestination(f, stm)) {
        all.add(stm);
      }
    }
    stms.clear();
    stms.addAll(all);
    return true;
  }

  private static Set<Var> mentioned(List<Atom> atoms) {
    var all = new HashSet<Var>();
    atoms.forEach(
        a -> {
          if (a instanceof Var v) {
            all.add(v);
          }
        });
    return all;
  }

  private static boolean cheap(SegBody body) {
    return body.stms().size() <= CHEAP
        && body.stms().stream().allMatch(s -> cheap(s.exp()))
        && body.results().stream().allMatch(r -> r.type().isScalar());
  }

  private static boolean cheap(SegExp exp) {
    return switch (exp) {
      case SegExp.Plain(var e) ->
          switch (e) {
            case Binary _, Compare _, Convert _, Fma _, Alias _ -> true;
            case Unary(_, var x) -> !x.type().elemPrim().isFloat();
            case Index(_, _, var checked) -> !checked;
            default -> false;
          };
      case SegExp.Branch(_, var then, var otherwise) -> cheap(then) && cheap(otherwise);
      default -> false;
    };
  }

  /** Whether the scan may as well run after the expression. */
  private static boolean quiet(SegExp exp) {
    return switch (exp) {
      case SegExp.Plain(var e) ->
          switch (e) {
            case Unary _, Binary _, Compare _, Convert _, Alias _ -> true;
            case Index _, Slice _, Rearrange _, Iota _, Replicate _, Scratch _ -> true;
            default -> false;
          };
      case SegExp.Branch(_, var then, var otherwise) ->
          then.stms().stream().allMatch(s -> quiet(s.exp()))
              && otherwise.stms().stream().allMatch(s -> quiet(s.exp()));
      case SegExp.Par(SegFilter _) -> true;
      default -> false;
    };
  }

  /**
   * Whether each point is kept, and what is kept; nothing if the filter would need more than
   * elements.
   */
  private Optional<SegBody> body(Found f, SegScan scan, SegScatter s) {
    var pattern = stms.get(f.scan).pattern();
    var point = s.space().innermost().index();
    var body = new ArrayList<>(scan.body().stms());
    body.add(copy(point, scan.space().innermost().index()));
    for (var stm : s.body().stms()) {
      if (stm.pattern().contains(f.index)) {
        continue;
      }
      int k = plain(stm.exp()) instanceof Index(var array, _, _) ? pattern.indexOf(array) : -1;
      if (k >= 0 && pattern.get(k).equals(f.counts)) {
        continue;
      }
      if (k >= scan.scans().size() + width(scan) && element(s, stm.pattern().getFirst()) != null) {
        body.add(copy(stm.pattern().getFirst(), scan.body().results().get(k)));
      } else if (MentionedVars.of(stm.exp()).stream().anyMatch(pattern::contains)) {
        return Optional.empty();
      } else {
        body.add(stm);
      }
    }
    var kept = s.body().results().subList(s.dests().size(), 2 * s.dests().size());
    if (kept.stream().anyMatch(pattern::contains)) {
      return Optional.empty();
    }
    var values = new ArrayList<Atom>();
    values.add(f.flag);
    values.addAll(kept);
    return Optional.of(new SegBody(body, values));
  }

  private static int width(SegScan scan) {
    return scan.reduces().stream().mapToInt(r -> r.neutral().size()).sum();
  }

  private static SegStm copy(Var v, Atom of) {
    return new SegStm(
        List.of(v), new SegExp.Plain(new Alias(of)), List.of(), dev.kenaz.error.Span.NONE);
  }

  /** Whether all that the body reads exists where the number of kept elements is computed. */
  private boolean bound(Found f, SegBody body) {
    var taken = MentionedVars.of(body);
    return stms.subList(f.branch, f.scatter).stream()
        .flatMap(s -> s.pattern().stream())
        .noneMatch(taken::contains);
  }

  private boolean isDestination(Found f, SegStm stm) {
    return f.keeps()
        && scatter(f.scatter).dests().stream().anyMatch(d -> stm.pattern().contains(d.dest()));
  }

  private SegStm filter(Found f, SegBody body) {
    var old = stms.get(f.last());
    var pattern = new ArrayList<Var>(List.of(f.total));
    if (f.keeps()) {
      pattern.addAll(old.pattern());
    }
    var space = scan(f.scan).space();
    var types = body.results().stream().map(Atom::type).toList();
    var op = new SegExp.Par(new SegFilter(space, body, types));
    return new SegStm(pattern, op, old.attrs(), old.span());
  }

  /** What the branch that tells the number computes besides. */
  private Optional<SegStm> others(Found f) {
    var stm = stms.get(f.branch);
    int k = stm.pattern().indexOf(f.total);
    if (stm.pattern().size() == 1) {
      return Optional.empty();
    }
    var b = (SegExp.Branch) stm.exp();
    var then = new SegBody(b.then().stms(), without(b.then().results(), k));
    var otherwise = new SegBody(b.otherwise().stms(), without(b.otherwise().results(), k));
    if (!MentionedVars.of(otherwise).contains(b.otherwise().results().get(k))) {
      var count = b.otherwise().results().get(k);
      var stms = new ArrayList<>(otherwise.stms());
      stms.removeIf(s -> s.pattern().contains(count));
      otherwise = new SegBody(stms, otherwise.results());
    }
    var branch = new SegExp.Branch(b.condition(), then, otherwise);
    return Optional.of(new SegStm(without(stm.pattern(), k), branch, stm.attrs(), stm.span()));
  }

  private static <T> List<T> without(List<T> list, int k) {
    var rest = new ArrayList<>(list);
    rest.remove(k);
    return rest;
  }

  /** The scan without the counts, and without flags that nothing else reads. */
  private static SegStm without(SegStm stm, SegScan s, Found f, Set<Var> elsewhere) {
    int k = stm.pattern().indexOf(f.counts);
    var pattern = without(stm.pattern(), k);
    var results = without(s.body().results(), k);
    var returns = without(s.returns(), k);
    int flags = pattern.indexOf(f.flags);
    if (flags >= 0 && !elsewhere.contains(f.flags)) {
      pattern = without(pattern, flags);
      results = without(results, flags);
      returns = without(returns, flags);
    }
    var scans = without(s.scans(), k);
    var body = new SegBody(s.body().stms(), results);
    SegOp rest =
        !scans.isEmpty()
            ? new SegScan(s.space(), scans, s.reduces(), body, returns)
            : !s.reduces().isEmpty()
                ? new SegRed(s.space(), s.reduces(), body, returns)
                : new SegMap(s.space(), body, returns);
    return new SegStm(pattern, new SegExp.Par(rest), stm.attrs(), stm.span());
  }
}
