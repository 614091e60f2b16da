package dev.kenaz.flatten;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Compare;
import dev.kenaz.ir.Exp.For;
import dev.kenaz.ir.Exp.LoopParam;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Scratch;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.Slice;
import dev.kenaz.ir.Exp.Update;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.MentionedVars;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import dev.kenaz.segir.SegOp.Dim;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegOp.SegRed;
import dev.kenaz.segir.SegOp.SegSpace;
import dev.kenaz.segir.SegStm;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Runs an operator whose function has been cut into several kernels over one block of its elements
 * at a time: what the kernels leave for each other then stays in the caches, and memory doesn't
 * grow with the number of elements.
 *
 * <pre>
 *   loop (acc, ys) for i < ceil (n / block) do
 *     let (a, zs) = operator (part of xs)
 *     in (op acc a, ys with [part] = zs)
 * </pre>
 *
 * <p>All threads share each kernel of a block. If the operator only reduces and updates
 * accumulators, and there are enough blocks that fit one core's cache, a thread rather does all
 * kernels of its own blocks:
 *
 * <pre>
 *   redomap op (\i -> operator (part of xs)) (iota (ceil (n / block)))
 * </pre>
 */
final class Blocks {
  /**
   * If a block has this many elements, it pays to read and to pack the other operand of a matrix
   * product.
   */
  private static final long LEAST = 128;

  /** So many blocks for each thread are enough for threads to have blocks of their own. */
  private static final long BLOCKS_OF_A_THREAD = 4;

  /** The copies of accumulators that threads with blocks of their own have take at most this. */
  private static final long MOST_COPIED = 1L << 28;

  /** What all threads keep of such blocks takes at most this. */
  private static final long MOST_KEPT = 1L << 28;

  private final Stm stm;
  private final Screma s;
  private final long bytes;
  private final List<SegStm> before = new ArrayList<>();
  private final List<SegStm> inside = new ArrayList<>();
  private final Var size = Names.fresh("size", Type.I64);
  private final Var start = Names.fresh("start", Type.I64);

  private Blocks(Stm stm, Screma s, long bytes) {
    this.stm = stm;
    this.s = s;
    this.bytes = bytes;
  }

  /**
   * Makes the loop over the blocks.
   *
   * @param cut the operator on a block, as kernels; its results are the operator's
   * @param alone the same as one thread runs it
   */
  static SegBody of(
      Stm stm,
      Screma s,
      Function<Screma, SegBody> cut,
      Function<Screma, SegBody> alone,
      FlattenOptions options) {
    var shared = new Blocks(stm, s, options.sharedBlockBytes()).body(cut);
    return options.workers() > 1 && onlyReduces(s)
        ? new Blocks(stm, copy(s), options.blockBytes()).tasks(alone, options.workers(), shared)
        : shared;
  }

  private static boolean onlyReduces(Screma s) {
    var returns = s.map().returns();
    return returns.subList(s.reduceWidth(), returns.size()).stream()
        .allMatch(Type.Acc.class::isInstance);
  }

  private static Screma copy(Screma s) {
    var map = new Renaming().lambda(s.map());
    return new Screma(s.width(), s.inputs(), s.scans(), s.reduces(), map);
  }

  /**
   * Whether results of blocks can be put together: there is no scan, and only scalars are reduced.
   */
  static boolean possible(Screma s) {
    var bound = new HashSet<>(s.map().params());
    s.map().body().stms().forEach(x -> bound.addAll(x.pattern()));
    return s.scans().isEmpty()
        && s.reduces().stream().flatMap(r -> r.neutral().stream()).allMatch(a -> scalar(a.type()))
        && s.map().returns().stream()
            .flatMap(t -> FreeVars.of(t).stream())
            .noneMatch(bound::contains);
  }

  private static boolean scalar(Type type) {
    return type.isScalar();
  }

  /**
   * Makes an operator over the blocks, each of which one thread does.
   *
   * @param shared what is done where there are not enough blocks
   */
  private SegBody tasks(Function<Screma, SegBody> cut, int workers, SegBody shared) {
    var block = cut.apply(part(acc -> acc));
    var each = elementBytes(block);
    var most = blockSize(each, BLOCKS_OF_A_THREAD * workers);
    var i = Names.fresh("i", Type.I64);
    var stms = statements(i, most, block);
    var count = quotient(most, "blocks");
    var enough = worthwhile(most, each, count, workers);
    var space = new SegSpace(List.of(new Dim(i, count)));
    var body = new SegBody(stms, block.results());
    var reduces =
        s.reduces().stream()
            .map(r -> new Reduce(new Renaming().lambda(r.op()), r.neutral(), r.commutative()))
            .toList();
    SegOp op =
        reduces.isEmpty()
            ? new SegMap(space, body, s.map().returns())
            : new SegRed(space, reduces, body, s.map().returns());
    var made = stm.pattern().stream().map(Names::like).toList();
    var tasks = new SegBody(List.of(par(made, op)), List.copyOf(made));
    var results = stm.pattern().stream().map(Names::like).toList();
    var choice = new SegExp.Branch(enough, tasks, shared);
    before.add(new SegStm(results, choice, stm.attrs(), stm.span()));
    return new SegBody(before, List.copyOf(results));
  }

  /** Whether there are enough blocks, and what threads need for themselves isn't too much. */
  private Var worthwhile(Atom most, Atom each, Atom count, int workers) {
    var enough = atMost("enough", Atom.i64(BLOCKS_OF_A_THREAD * workers), count);
    Atom copied = Atom.i64(0);
    for (var xs : s.inputs()) {
      if (xs.type() instanceof Type.Acc(_, var space, var elems)) {
        for (var elem : elems) {
          var bytes = bytes(elem.elemPrim(), Lists.concat(space, elem.dims()));
          copied = bind("copied", Type.I64, new Binary(BinaryOp.ADD, copied, bytes), before);
        }
      }
    }
    var fits = atMost("fits", copied, Atom.i64(MOST_COPIED / workers));
    enough = bind("enough", Type.BOOL, new Binary(BinaryOp.AND, enough, fits), before);
    // A block has a least number of elements, however much each of them keeps.
    var kept = bind("kept", Type.I64, new Binary(BinaryOp.MUL, most, each), before);
    var small = atMost("small", kept, Atom.i64(MOST_KEPT / workers));
    return bind("enough", Type.BOOL, new Binary(BinaryOp.AND, enough, small), before);
  }

  private Var atMost(String name, Atom x, Atom y) {
    return bind(name, Type.BOOL, new Compare(CompareOp.LE, x, y), before);
  }

  /** Returns how many bytes so many elements take. */
  private Atom bytes(Prim prim, List<Atom> dims) {
    Atom bytes = Atom.i64(prim.byteSize());
    for (var d : dims) {
      bytes = bind("bytes", Type.I64, new Binary(BinaryOp.MUL, bytes, d), before);
    }
    return bytes;
  }

  private SegStm par(List<Var> pattern, SegOp op) {
    return new SegStm(pattern, new SegExp.Par(op), stm.attrs(), stm.span());
  }

  /**
   * Returns the operator on a block.
   *
   * @param acc what it updates there instead of an accumulator
   */
  private Screma part(UnaryOperator<Var> acc) {
    var inputs = new ArrayList<Var>();
    for (var xs : s.inputs()) {
      inputs.add(xs.type() instanceof Type.Acc ? acc.apply(xs) : part(xs));
    }
    return new Screma(size, inputs, s.scans(), s.reduces(), s.map());
  }

  /**
   * Returns the statements of block {@code i}: its bounds, its parts of the inputs, its kernels.
   */
  private List<SegStm> statements(Var i, Atom most, SegBody block) {
    var stms = new ArrayList<SegStm>();
    stms.add(plain(start, new Binary(BinaryOp.MUL, i, most)));
    var left = Names.fresh("left", Type.I64);
    stms.add(plain(left, new Binary(BinaryOp.SUB, s.width(), start)));
    stms.add(plain(size, new Binary(BinaryOp.MIN, most, left)));
    stms.addAll(inside);
    stms.addAll(block.stms());
    return stms;
  }

  private SegBody body(Function<Screma, SegBody> cut) {
    var params = new ArrayList<LoopParam>();
    for (int k = 0; k < stm.pattern().size(); k++) {
      var init = initial(k);
      params.add(new LoopParam(Names.fresh(stm.pattern().get(k).name(), init.type()), init));
    }
    var block = cut.apply(part(acc -> carried(params, (Type.Acc) acc.type())));
    var most = blockSize(elementBytes(block), 1);
    var i = Names.fresh("i", Type.I64);
    var head = statements(i, most, block);
    inside.clear();
    var next = together(params, block.results());
    head.addAll(inside);
    var count = quotient(most, "blocks");
    var loop = new SegExp.Iterate(params, new For(i, count), new SegBody(head, next));
    var results = params.stream().map(p -> Names.like(p.var())).toList();
    before.add(new SegStm(results, loop, stm.attrs(), stm.span()));
    return new SegBody(before, List.copyOf(results));
  }

  private Atom initial(int k) {
    int reduced = s.reduceWidth();
    if (k < reduced) {
      return s.reduces().stream().flatMap(r -> r.neutral().stream()).toList().get(k);
    }
    return switch (s.map().returns().get(k)) {
      case Type.Acc(var token, _, _) ->
          s.inputs().stream()
              .filter(v -> v.type() instanceof Type.Acc a && a.token() == token)
              .findFirst()
              .orElseThrow();
      case Type t -> {
        var type = (Type.Array) t.under(s.width());
        yield bind("all", type, new Scratch(type.elem(), type.shape()), before);
      }
    };
  }

  /** Returns the loop's parameter that is this accumulator. */
  static Var carried(List<LoopParam> params, Type.Acc acc) {
    return params.stream()
        .map(LoopParam::var)
        .filter(v -> v.type() instanceof Type.Acc a && a.token() == acc.token())
        .findFirst()
        .orElseThrow();
  }

  private Var part(Var xs) {
    var type = ((Type.Array) xs.type()).row().under(size);
    return bind(xs.name(), type, new Slice(xs, rows(type), false), inside);
  }

  private List<DimSlice> rows(Type type) {
    var slice = new ArrayList<DimSlice>();
    slice.add(new DimSlice.Range(start, size, Atom.i64(1)));
    for (var d : type.dims().subList(1, type.dims().size())) {
      slice.add(new DimSlice.Range(Atom.i64(0), d, Atom.i64(1)));
    }
    return slice;
  }

  /**
   * Returns how many bytes there are for each element of a block: those that the kernels leave for
   * each other, and those of the operator's inputs that several kernels read.
   */
  private Atom elementBytes(SegBody block) {
    var left = left(block).toList();
    Set<Var> bound = new HashSet<>(left);
    Atom each = Atom.i64(1);
    for (var v : Stream.concat(left.stream(), readAgain(block).stream()).toList()) {
      var dims = v.type().dims();
      if (v.type() instanceof Type.Array a
          && dims.getFirst().equals(size)
          && FreeVars.of(dims).stream().noneMatch(bound::contains)) {
        var row = bytes(a.elem(), dims.subList(1, dims.size()));
        each = bind("bytes", Type.I64, new Binary(BinaryOp.ADD, each, row), before);
      }
    }
    return bind("bytes", Type.I64, new Binary(BinaryOp.MAX, each, Atom.i64(1)), before);
  }

  /** Returns what kernels leave for each other, also in each iteration of loops around them. */
  private static Stream<Var> left(SegBody block) {
    return block.stms().stream()
        .flatMap(
            x ->
                x.exp() instanceof SegExp.Iterate(_, _, var body)
                    ? Stream.concat(x.pattern().stream(), left(body))
                    : x.pattern().stream());
  }

  /**
   * Returns how many elements of so many bytes a block has.
   *
   * @param tasks how many blocks there should be, if they don't become too small
   */
  private Atom blockSize(Atom each, long tasks) {
    var fit = bind("fit", Type.I64, new Binary(BinaryOp.QUOT, Atom.i64(bytes), each), before);
    if (tasks > 1) {
      var share = quotient(Atom.i64(tasks), "share");
      fit = bind("fit", Type.I64, new Binary(BinaryOp.MIN, fit, share), before);
    }
    return bind("block", Type.I64, new Binary(BinaryOp.MAX, fit, Atom.i64(LEAST)), before);
  }

  /** Returns the parts of inputs, bound by {@link #inside}, that kernels read several times. */
  private List<Var> readAgain(SegBody block) {
    var reads = new HashMap<Var, Integer>();
    for (var x : block.stms()) {
      int times = x.exp() instanceof SegExp.Iterate ? 2 : 1;
      MentionedVars.of(x.exp()).forEach(v -> reads.merge(v, times, Integer::sum));
    }
    return inside.stream()
        .flatMap(x -> x.pattern().stream())
        .filter(v -> reads.getOrDefault(v, 0) > 1)
        .toList();
  }

  /** Returns how many parts of so many elements there are; the last one may be smaller. */
  private Var quotient(Atom part, String name) {
    var more = bind("n", Type.I64, new Binary(BinaryOp.ADD, s.width(), part), before);
    more = bind("n", Type.I64, new Binary(BinaryOp.ADD, more, Atom.i64(-1)), before);
    return bind(name, Type.I64, new Binary(BinaryOp.QUOT, more, part), before);
  }

  private List<Atom> together(List<LoopParam> params, List<Atom> results) {
    var next = new ArrayList<Atom>();
    s.reduces().forEach(r -> next.addAll(combined(r, params, results, next.size())));
    for (int k = next.size(); k < results.size(); k++) {
      var so = params.get(k).var();
      if (so.type() instanceof Type.Acc) {
        next.add(results.get(k));
      } else {
        var slice = rows(so.type());
        var exp = new Update(so, slice, results.get(k), false);
        next.add(bind(so.name(), so.type(), exp, inside));
      }
    }
    return next;
  }

  private List<Atom> combined(Reduce r, List<LoopParam> params, List<Atom> results, int at) {
    int n = r.neutral().size();
    var arguments = new ArrayList<Atom>();
    params.subList(at, at + n).forEach(p -> arguments.add(p.var()));
    arguments.addAll(results.subList(at, at + n));
    Body body = Renaming.call(r.op(), arguments);
    inside.addAll(SegBody.sequential(body).stms());
    return body.results();
  }

  private Var bind(String name, Type type, Exp exp, List<SegStm> stms) {
    var v = Names.fresh(name, type);
    stms.add(plain(v, exp));
    return v;
  }

  private SegStm plain(Var v, Exp exp) {
    return new SegStm(List.of(v), new SegExp.Plain(exp), List.of(), stm.span());
  }
}
