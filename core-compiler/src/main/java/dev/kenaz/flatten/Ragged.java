package dev.kenaz.flatten;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegStm;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Distributes over a nest what has another number of elements at each of its points: operators over
 * rows of different lengths, arrays of different sizes, and scatters into these. The elements of
 * all points are put one after another, as {@link Segments} says, and one operator goes over them;
 * it is flattened in its turn. An array of a size of its own at each point is a slice there of one
 * flat array.
 *
 * <pre>
 *   map (\n -> let ys = map f (iota n)       ys' = map (\k -> f places[k]) (iota total)
 *              in reduce (+) 0 ys) ns        sums = scan (+, from each head anew) ys'
 *                                            map (\i -> if ns[i] == 0 then 0 else sums[last[i]])
 * </pre>
 *
 * <p>A reduction is the last sum of a segmented scan, whose operator begins anew at the head of a
 * segment: {@code (f, x) + (g, y) = (f || g, if g then y else x + y)}. (G. E. Blelloch and G. W.
 * Sabot, "Compiling collection-oriented languages onto massively parallel computers", 1990.)
 */
final class Ragged {
  /** So many elements are kept where nothing asks for them but this way to add them up. */
  private static final long MOST = 1L << 27;

  /** An array of another size at each point: a slice, of so many elements from a place on. */
  private record Flat(Var all, Segments segments) {}

  private final Distribution distribution;
  private final Map<Atom, Segments> segments = new HashMap<>();
  private final Map<Atom, Segments> owned = new HashMap<>();
  private final Map<Atom, Var> begins = new HashMap<>();
  private final Map<Var, Flat> flats = new HashMap<>();

  Ragged(Distribution distribution) {
    this.distribution = distribution;
  }

  /** Computes the statement at all points at once. */
  void statement(Stm stm) {
    switch (stm.exp()) {
      case Screma s when s.scans().isEmpty() && s.map().returns().size() == s.reduceWidth() ->
          reductions(stm, s);
      case Screma s -> screma(stm, s);
      case Hist h -> histogram(stm, h);
      case Scatter s -> scatter(stm, s);
      default -> keep(stm.var(), array(stm));
    }
  }

  private Nest nest() {
    return distribution.nest();
  }

  // Segments

  private Segments segments(Stm stm, Atom width) {
    return owned.containsKey(width)
        ? owned.get(width)
        : segments.computeIfAbsent(width, w -> newSegments(stm, w));
  }

  private Segments newSegments(Stm stm, Atom width) {
    var b = new Builder(stm.span());
    var made =
        nest().invariant(List.of(width))
            ? Segments.equal(b, nest(), width)
            : Segments.of(b, nest(), width, distribution.readOnly(width, Type.I64));
    distribution.outside(b.stms());
    return made;
  }

  private Segments ownedSegments(Stm stm, Atom width) {
    var b = new Builder(stm.span());
    var all = segments(stm, width).owned(b);
    distribution.outside(b.stms());
    owned.put(width, all);
    return all;
  }

  private Var begin(Segments of, Span span) {
    return begins.computeIfAbsent(
        of.width(),
        _ -> {
          var begin = Names.fresh("begin", Type.I64);
          distribution.repeat(new Stm(List.of(begin), of.begin(), span));
          return begin;
        });
  }

  private void keep(Var v, Flat flat) {
    var dims = v.type().dims();
    var at = new ArrayList<DimSlice>();
    var span = distribution.span();
    at.add(new DimSlice.Range(begin(flat.segments(), span), dims.getFirst(), i64(1)));
    dims.subList(1, dims.size()).forEach(d -> at.add(new DimSlice.Range(i64(0), d, i64(1))));
    distribution.repeat(new Stm(List.of(v), new Slice(flat.all(), at, false), span));
    flats.put(v, flat);
  }

  // Operators

  /**
   * Makes a function of an element's number.
   *
   * @param reads what is read of arrays at the element
   * @param code what makes the results, if it knows the place of the element in its segment
   */
  private Lambda function(
      Segments of, Var place, List<Var> accs, List<Stm> reads, Body code, List<Type> returns) {
    var number = Names.fresh("number", Type.I64);
    var start = new Builder(distribution.span());
    of.find(start, number, place);
    var params = Lists.concat(List.of(number), accs);
    var inside = nest();
    for (var read : reads) {
      inside = inside.with(read);
    }
    return inside.function(params, start.stms(), code, returns);
  }

  private static List<Stm> reads(Stm stm, Var place, List<Var> inputs, Lambda map) {
    var reads = new ArrayList<Stm>();
    for (int k = 0; k < inputs.size(); k++) {
      var row = new Index(inputs.get(k), List.of(place), false);
      if (!(inputs.get(k).type() instanceof Type.Acc)) {
        reads.add(new Stm(List.of(map.params().get(k)), row, stm.span()));
      }
    }
    return reads;
  }

  private static Var place() {
    return Names.fresh("place", Type.I64);
  }

  private List<Var> flatten(Stm stm, Builder b, List<Type> types, Exp exp) {
    var results = types.stream().map(t -> Names.fresh("seg", t)).toList();
    b.add(stm.with(results, exp));
    return results;
  }

  private void screma(Stm stm, Screma s) {
    var of = ownedSegments(stm, s.width());
    var b = new Builder(stm.span());
    var results = elements(stm, s, of, b);
    distribution.outside(b.stms());
    int scans = s.scanWidth();
    for (int k = 0; k < results.size(); k++) {
      var v = stm.pattern().get(k);
      if (k >= scans && k < scans + s.reduceWidth()) {
        continue;
      }
      if (v.type() instanceof Type.Acc) {
        distribution.keep(v, results.get(k));
      } else {
        keep(v, new Flat(results.get(k), of));
      }
    }
    if (s.reduceWidth() > 0) {
      int end = scans + s.reduceWidth();
      var sums = stm.pattern().subList(scans, end);
      var last = overNest(lasts(stm, s, of, results.subList(scans, end), scans), sums);
      last.stms().forEach(distribution::emit);
      keep(sums, last.results());
    }
  }

  private void keep(List<Var> vars, List<? extends Atom> overNest) {
    for (int k = 0; k < vars.size(); k++) {
      distribution.keep(vars.get(k), (Var) overNest.get(k));
    }
  }

  /** Returns, for all elements, what is scanned, the sums so far of reductions, and results. */
  private List<Var> elements(Stm stm, Screma s, Segments of, Builder b) {
    var accs = new ArrayList<Var>();
    var inputs = new ArrayList<Var>(List.of(b.iota(of.total())));
    for (int k = 0; k < s.inputs().size(); k++) {
      if (s.inputs().get(k).type() instanceof Type.Acc acc) {
        accs.add(s.map().params().get(k));
        inputs.add(distribution.expanded(s.inputs().get(k), acc));
      }
    }
    int operands = s.scanWidth() + s.reduceWidth();
    boolean folds = operands > 0;
    var types = new ArrayList<Type>(folds ? List.of(Type.BOOL) : List.of());
    types.addAll(s.map().returns());
    var place = place();
    var code = new Builder(stm.span());
    var head = folds ? List.of(code.compare(CompareOp.EQ, place, i64(0))) : List.<Atom>of();
    code.addAll(s.map().body().stms());
    var body = code.body(Lists.concat(head, s.map().body().results()));
    var reads = reads(stm, place, s.inputs(), s.map());
    var map = function(of, place, accs, reads, body, types);
    List<Scan> scans = folds ? List.of(segmented(b, s)) : List.of();
    var flat = new Screma(of.total(), inputs, scans, List.of(), map);
    var results = flatten(stm, b, types.stream().map(of::over).toList(), flat);
    return folds ? results.subList(1, results.size()) : results;
  }

  /** Returns all operators as one, which begins anew where its second operand is a head. */
  private static Scan segmented(Builder b, Screma s) {
    var neutral = new ArrayList<Atom>(List.of(Atom.of(Prim.BOOL, 0)));
    s.scans().forEach(x -> neutral.addAll(x.neutral()));
    s.reduces().forEach(x -> neutral.addAll(x.neutral()));
    var types = neutral.stream().map(Atom::type).toList();
    var op =
        b.lambda(
            Lists.concat(types, types),
            (in, p) -> {
              var left = p.subList(1, types.size());
              var head = p.get(types.size());
              var right = p.subList(types.size() + 1, p.size());
              var any = in.binary(BinaryOp.OR, p.getFirst(), head);
              var sums =
                  in.ifThenElse(
                      head,
                      types.subList(1, types.size()),
                      _ -> right,
                      sum -> combined(sum, s, left, right));
              return Lists.concat(List.of(any), sums);
            });
    return new Scan(op, neutral);
  }

  /** Combines operands of all scans, and then of all reductions, by their own operators. */
  static List<Atom> combined(
      Builder b, Screma s, List<? extends Atom> left, List<? extends Atom> right) {
    var all = new ArrayList<Atom>();
    var scans = s.scans().stream().map(Scan::op);
    for (var op : Stream.concat(scans, s.reduces().stream().map(Reduce::op)).toList()) {
      int at = all.size();
      int end = at + op.returns().size();
      var operands = Lists.concat(left.subList(at, end), right.subList(at, end));
      all.addAll(b.inline(Renaming.call(op, operands)));
    }
    return all;
  }

  /** Returns what finds the reductions at a point: the last sums of its segment. */
  private List<Stm> lasts(Stm stm, Screma s, Segments of, List<Var> sums, int from) {
    var neutral = s.reduces().stream().flatMap(r -> r.neutral().stream()).toList();
    var b = new Builder(stm.span());
    var begin = b.bind("begin", Type.I64, of.begin());
    var none = b.compare(CompareOp.EQ, of.width(), i64(0));
    var last = b.add(b.add(begin, of.width()), i64(-1));
    for (int k = 0; k < sums.size(); k++) {
      var full = b.inner();
      var sum = full.body(List.of(full.index(sums.get(k), last)));
      var empty = new Body(List.of(), List.of(neutral.get(k)));
      b.bindAll(List.of(stm.pattern().get(from + k)), new If(none, empty, sum));
    }
    return b.stms();
  }

  /**
   * Computes reductions whose elements nothing else uses: if these would need more memory than is
   * sensible, each point adds up its own.
   */
  private void reductions(Stm stm, Screma s) {
    var known = segments(stm, s.width());
    var flat = new Builder(stm.span());
    var of = known.owned(flat);
    var sums = elements(stm, s, of, flat);
    var last = overNest(lasts(stm, s, of, sums, 0), stm.pattern());
    var narrow = new ArrayList<>(Flatten.outside(distribution.inner(), flat.stms()));
    narrow.addAll(last.stms());
    var choice = new Builder(stm.span());
    var few = choice.compare(CompareOp.LE, of.total(), i64(MOST));
    distribution.outside(choice.stms());
    var wide = overNest(List.of(stm), stm.pattern());
    var results = stm.pattern().stream().map(v -> overNest(v)).toList();
    var branch = new SegExp.Branch(few, new SegBody(narrow, last.results()), wide);
    distribution.emit(new SegStm(results, branch, List.of(), stm.span()));
    keep(stm.pattern(), results);
  }

  private Var overNest(Var v) {
    return Names.fresh(v.name(), nest().over(v.type()));
  }

  private SegBody overNest(List<Stm> stms, List<Var> results) {
    var kernel = nest().kernel(stms, results);
    var types = results.stream().map(Var::type).toList();
    var all = results.stream().map(this::overNest).toList();
    var map = new SegMap(kernel.space(), kernel.body(), types);
    var stm = new SegStm(all, new SegExp.Par(map), List.of(), stms.getFirst().span());
    return new SegBody(List.of(stm), List.copyOf(all));
  }

  // Histograms and scatters

  /**
   * Where a histogram or scatter writes to.
   *
   * @param own the sizes at a point, in the order of the indices
   * @param segments those of the points, if their sizes differ
   */
  private record Destination(List<Atom> own, Optional<Segments> segments) {
    /** The sizes of the array that has the places of all points. */
    List<Atom> all(Nest nest) {
      return segments
          .map(s -> Lists.concat(List.of(s.total()), own.subList(1, own.size())))
          .orElseGet(() -> Lists.concat(nest.widths(), own));
    }
  }

  private Destination destination(Stm stm, List<Atom> shape) {
    boolean same = nest().invariant(shape);
    return new Destination(
        shape, same ? Optional.empty() : Optional.of(segments(stm, shape.getFirst())));
  }

  /** Returns an array that may be overwritten, with the rows of all points. */
  private Var writable(Stm stm, Var dest, Destination at) {
    if (at.segments().isEmpty()) {
      return distribution.owned(dest);
    }
    var flat = flats.get(dest);
    return flat != null
        ? flat.all()
        : array(stm.with(List.of(Names.like(dest)), new Copy(dest))).all();
  }

  private void scatter(Stm stm, Scatter s) {
    var at = s.dests().stream().map(d -> destination(stm, d.shape())).toList();
    var dests = new ArrayList<ScatterDest>();
    for (int k = 0; k < at.size(); k++) {
      var dest = writable(stm, s.dests().get(k).dest(), at.get(k));
      dests.add(new ScatterDest(at.get(k).all(nest()), dest));
    }
    var of = ownedSegments(stm, s.width());
    var b = new Builder(stm.span());
    var map = updates(stm, of, s.inputs(), s.map(), at);
    var exp = new Scatter(of.total(), List.of(b.iota(of.total())), dests, map);
    var results = flatten(stm, b, dests.stream().map(d -> d.dest().type()).toList(), exp);
    distribution.outside(b.stms());
    for (int k = 0; k < results.size(); k++) {
      keep(stm.pattern().get(k), results.get(k), at.get(k));
    }
  }

  private void histogram(Stm stm, Hist h) {
    var at = h.ops().stream().map(o -> destination(stm, o.shape())).toList();
    var ops = new ArrayList<HistOp>();
    for (int k = 0; k < at.size(); k++) {
      var op = h.ops().get(k);
      var to = at.get(k);
      var dests = op.dests().stream().map(d -> writable(stm, d, to)).toList();
      ops.add(new HistOp(to.all(nest()), dests, op.neutral(), new Renaming().lambda(op.op())));
    }
    var of = ownedSegments(stm, h.width());
    var b = new Builder(stm.span());
    var map = updates(stm, of, h.inputs(), h.map(), at);
    var exp = new Hist(of.total(), List.of(b.iota(of.total())), ops, map);
    var types = ops.stream().flatMap(o -> o.dests().stream()).map(Var::type).toList();
    var results = flatten(stm, b, types, exp);
    distribution.outside(b.stms());
    int k = 0;
    for (int o = 0; o < ops.size(); o++) {
      for (var _ : ops.get(o).dests()) {
        keep(stm.pattern().get(k), results.get(k), at.get(o));
        k++;
      }
    }
  }

  private void keep(Var v, Var result, Destination at) {
    at.segments()
        .ifPresentOrElse(s -> keep(v, new Flat(result, s)), () -> distribution.keep(v, result));
  }

  /** The function of a histogram or scatter, whose indices are those into flat arrays. */
  private Lambda updates(Stm stm, Segments of, List<Var> inputs, Lambda map, List<Destination> at) {
    int indices = at.stream().mapToInt(to -> to.own().size()).sum();
    var types = new ArrayList<Type>();
    for (var to : at) {
      to.all(nest()).forEach(_ -> types.add(Type.I64));
    }
    types.addAll(map.returns().subList(indices, map.returns().size()));
    var place = place();
    var code = new Builder(stm.span()).addAll(map.body().stms());
    var results = map.body().results();
    var all = new ArrayList<Atom>();
    int from = 0;
    for (var to : at) {
      var index = results.subList(from, from + to.own().size());
      all.addAll(index(code, to, index));
      from += index.size();
    }
    all.addAll(results.subList(indices, results.size()));
    var reads = reads(stm, place, inputs, map);
    return function(of, place, List.of(), reads, code.body(all), types);
  }

  private List<Atom> index(Builder b, Destination to, List<Atom> index) {
    if (to.segments().isEmpty()) {
      return Lists.concat(nest().indices(), index);
    }
    var begin = begin(to.segments().get(), b.span());
    var inside = b.inBounds(index.getFirst(), to.own().getFirst());
    var row =
        b.ifThenElse(
                inside,
                List.of(Type.I64),
                in -> List.of(in.add(begin, index.getFirst())),
                _ -> List.of(i64(-1)))
            .getFirst();
    return Lists.concat(List.of(row), index.subList(1, index.size()));
  }

  // Arrays

  /** Makes an array that is of another size at each point. */
  private Flat array(Stm stm) {
    var dims = stm.var().type().dims();
    var rest = dims.subList(1, dims.size());
    if (stm.exp() instanceof Scratch(var elem, _)) {
      var of = segments(stm, dims.getFirst());
      var b = new Builder(stm.span());
      var all = b.bind("scratch", new Scratch(elem, Lists.concat(List.of(of.total()), rest)));
      distribution.outside(b.stms());
      return new Flat(all, of);
    }
    var of = ownedSegments(stm, dims.getFirst());
    var row = Type.of(stm.var().type().elemPrim(), rest);
    var place = place();
    var code = new Builder(stm.span());
    var body = code.body(List.of(element(code, stm, place)));
    var map = function(of, place, List.of(), List.of(), body, List.of(row));
    var b = new Builder(stm.span());
    var inputs = List.of(b.iota(of.total()));
    var exp = new Screma(of.total(), inputs, List.of(), List.of(), map);
    var all = flatten(stm, b, List.of(of.over(row)), exp).getFirst();
    distribution.outside(b.stms());
    return new Flat(all, of);
  }

  private static Atom element(Builder b, Stm stm, Var place) {
    return switch (stm.exp()) {
      case Replicate(var shape, var value) ->
          shape.size() == 1 ? value : b.replicate(shape.subList(1, shape.size()), value);
      case Copy(var array) -> b.index(array, place);
      case Concat(_, var arrays, _) -> element(b, arrays, place);
      default -> throw new CompilerBug("flatten", "no array of elements");
    };
  }

  private static Atom element(Builder b, List<Var> arrays, Atom place) {
    var first = arrays.getFirst();
    if (arrays.size() == 1) {
      return b.index(first, place);
    }
    var length = first.type().dims().getFirst();
    return b.ifThenElse(
            b.compare(CompareOp.LT, place, length),
            List.of(Builder.rowType(first.type())),
            in -> List.of(in.index(first, place)),
            in ->
                List.of(
                    element(
                        in,
                        arrays.subList(1, arrays.size()),
                        in.binary(BinaryOp.SUB, place, length))))
        .getFirst();
  }
}
