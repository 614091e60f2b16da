package dev.kenaz.kernels;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Lists;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Slot;
import dev.kenaz.loops.Scope;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Makes one kernel of one block for a loop that launches kernels: all threads run the host's part
 * of the loop and do together, block by block, what each kernel does.
 */
final class LoopKernel {
  /** A loop of up to this many launches is still quickly compiled. */
  private static final int MOST_LAUNCHES = 64;

  private static final long SHARED_BYTES = 40 << 10;
  private static final long LOCAL_BYTES = 8 << 10;

  private final HostLoop loop;
  private final Kernels kernels;
  private final Kernel.Grid grid = Kernel.Grid.fresh();
  private final Map<String, Kernel> used = new LinkedHashMap<>();
  private final Set<Expr> blocks = new LinkedHashSet<>();
  private final Reg failed = Reg.fresh("failed", Prim.BOOL);
  private final Slot results = Slot.fresh("results");
  private boolean fails;
  private int launches;

  private LoopKernel(HostLoop loop, Kernels kernels) {
    this.loop = loop;
    this.kernels = kernels;
  }

  static Optional<LoopKernel> of(HostLoop loop, Kernels kernels) {
    var k = new LoopKernel(loop, kernels);
    return k.fits() ? Optional.of(k) : Optional.empty();
  }

  /**
   * Returns the numbers of blocks of the kernels, as far as these are known only when the loop
   * begins.
   */
  Set<Expr> blocks() {
    return blocks;
  }

  private boolean fits() {
    var fit = new boolean[] {true};
    CodeWalk.code(
        List.of(loop.loop()),
        c -> {
          fails |= c instanceof Code.Check;
          fit[0] &= !decidesByElement(c);
          if (c instanceof Code.Gpu(GpuCode.Launch l)) {
            fit[0] &= ++launches <= MOST_LAUNCHES && fits(l);
          }
        },
        _ -> {});
    var shared = shared().stream().mapToLong(s -> s.count() * s.prim().byteSize()).sum();
    var locals = locals().stream().mapToLong(Kernel.Local::bytes).sum();
    return fit[0] && launches > 0 && shared <= SHARED_BYTES && locals <= LOCAL_BYTES;
  }

  /**
   * Whether code decides by an element of memory. A thread could then overwrite the element before
   * all threads have decided.
   */
  private static boolean decidesByElement(Code c) {
    return switch (c) {
      case Code.If _, Code.For _, Code.While _ ->
          CodeWalk.operands(c).stream().anyMatch(HostLoop::loads);
      default -> false;
    };
  }

  private boolean fits(GpuCode.Launch l) {
    var k = kernels.kernel(l.kernel());
    used.put(k.name(), k);
    fails |= checks(k);
    var number = loop.constant(l.blocks());
    var threads = threads(l);
    number.filter(n -> !(n instanceof Expr.Lit)).ifPresent(blocks::add);
    boolean few =
        number.isPresent()
            && (!(number.get() instanceof Expr.Lit n)
                || n.value().bits() <= DeviceLoops.MOST_BLOCKS);
    boolean team =
        threads == Kernels.THREADS || threads > 0 && threads < Kernels.THREADS && !k.together();
    return few
        && team
        && k.heap().isEmpty()
        && Expr.isConst(l.sharedBytes(), 0)
        && k.shared().stream().allMatch(s -> s.count() > 0)
        && l.arguments().stream().noneMatch(HostLoop::loads);
  }

  private long threads(GpuCode.Launch l) {
    return loop.constant(l.threads()).orElse(null) instanceof Expr.Lit n ? n.value().bits() : -1;
  }

  private static boolean checks(Kernel k) {
    var found = new boolean[1];
    CodeWalk.code(k.body(), c -> found[0] |= c instanceof Code.Check, _ -> {});
    return found[0];
  }

  private List<Kernel.Shared> shared() {
    return used.values().stream().flatMap(k -> k.shared().stream()).toList();
  }

  private List<Kernel.Local> locals() {
    return used.values().stream().flatMap(k -> k.locals().stream()).toList();
  }

  /** Makes the kernel; returns its launch. */
  Code launch() {
    var body = new ArrayList<Code>();
    if (fails) {
      body.add(new Code.Set(failed, Expr.bool(false)));
    }
    body.addAll(code(List.of(loop.loop())));
    if (!loop.back().isEmpty()) {
      var stores = new ArrayList<Code>();
      for (var reg : loop.back()) {
        var place = place(stores.size(), reg);
        stores.add(new Code.Store(reg.prim(), Expr.use(results.base()), place, Expr.use(reg)));
      }
      var first = Scope.equal(Expr.use(grid.thread()), Expr.i64(0));
      body.add(new Code.If(first, stores, List.of()));
    }
    var span =
        used.values().stream().map(Kernel::span).filter(Span::known).findFirst().orElse(Span.NONE);
    var draft = new Kernels.Draft("loop of small kernels", span, grid, shared(), body);
    return kernels.launchOne(draft, locals());
  }

  /** The code before the launch: memory for what the host has to be told. */
  List<Code> before() {
    return loop.back().isEmpty()
        ? List.of()
        : List.of(new Code.Ensure(results, Expr.i64(8L * loop.back().size())));
  }

  /** Returns the code after the launch, which tells the host. */
  List<Code> after() {
    var all = new ArrayList<Code>();
    for (var reg : loop.back()) {
      var place = place(all.size(), reg);
      all.add(new Code.Set(reg, new Expr.Load(reg.prim(), Expr.use(results.base()), place)));
    }
    return all;
  }

  private static Expr place(int number, Reg reg) {
    return Expr.i64(number * (8L / reg.prim().byteSize()));
  }

  private static Code barrier() {
    return new Code.Gpu(new GpuCode.Barrier());
  }

  private List<Code> code(List<Code> code) {
    var all = new ArrayList<Code>();
    code.forEach(c -> all.addAll(statement(c)));
    return all;
  }

  private List<Code> statement(Code c) {
    return switch (c) {
      case Code.Set(var reg, var e) when HostLoop.loads(e) -> {
        // after a failure the threads go on with the same value, so that they wait at the same
        // places
        var set =
            fails
                ? new Code.If(
                    Cooperation.not(Expr.use(failed)),
                    List.of(c),
                    List.of(new Code.Set(reg, Expr.zero(reg.prim()))))
                : c;
        // nothing overwrites it before all have read it
        yield List.of(set, barrier());
      }
      case Code.Set(var reg, var e) when fails && divides(c) ->
          // after a failure everything goes on to the loop's end, but not to a division by zero
          List.of(new Code.Set(reg, new Expr.Select(Expr.use(failed), Expr.zero(reg.prim()), e)));
      case Code.Swap(var a, var b) -> swap(a, b);
      case Code.CopyBytes copy -> Lists.concat(unlessFailed(words(copy)), List.of(barrier()));
      case Code.Check check -> {
        var all = new ArrayList<Code>();
        all.addAll(unlessFailed(List.of(new Code.Gpu(new GpuCode.Attempt(List.of(check))))));
        all.addAll(lookForFailures());
        yield all;
      }
      case Code.If(var condition, var then, var otherwise) ->
          List.of(new Code.If(condition, code(then), code(otherwise)));
      case Code.For(var i, var bound, var body, _, _) when fails -> {
        // its bound may be far away, or nonsense after a failure
        var n = Reg.index("bound");
        var next = new Code.Set(i, Expr.add(Expr.use(i), Expr.i64(1)));
        var loop =
            whileGood(
                Scope.less(Expr.use(i), Expr.use(n)), Lists.concat(code(body), List.of(next)));
        yield List.of(new Code.Set(n, bound), new Code.Set(i, Expr.i64(0)), loop);
      }
      case Code.For(var i, var bound, var body, _, _) ->
          List.of(new Code.For(i, bound, code(body), false, List.of()));
      case Code.While(var condition, var body) -> List.of(whileGood(condition, code(body)));
      case Code.Gpu(GpuCode.Launch l) -> kernel(l);
      case Code.Ensure _, Code.Free _ -> List.of();
      case Code.Set _,
          Code.Store _,
          Code.AtomicUpdate _,
          Code.MatrixProduct _,
          Code.Call _,
          Code.Print _,
          Code.Plan _,
          Code.Parallel _,
          Code.Gpu _ ->
          List.of(c);
    };
  }

  private Code whileGood(Expr condition, List<Code> body) {
    var go = fails ? Scope.and(Cooperation.not(Expr.use(failed)), condition) : condition;
    return new Code.While(go, body);
  }

  private static boolean divides(Code c) {
    var found = new boolean[1];
    CodeWalk.code(
        List.of(c),
        _ -> {},
        e ->
            found[0] |=
                e instanceof Expr.Bin(var op, var x, _)
                    && !x.prim().isFloat()
                    && switch (op) {
                      case DIV, MOD, QUOT, REM -> true;
                      default -> false;
                    });
    return found[0];
  }

  private List<Code> unlessFailed(List<Code> code) {
    return fails ? List.of(new Code.If(Cooperation.not(Expr.use(failed)), code, List.of())) : code;
  }

  /** Makes what a thread has noted known to all before any of them goes on. */
  private List<Code> lookForFailures() {
    return List.of(barrier(), new Code.Gpu(new GpuCode.Failed(failed)), barrier());
  }

  private static List<Code> swap(Slot a, Slot b) {
    var all = new ArrayList<Code>();
    for (var pair : List.of(List.of(a.base(), b.base()), List.of(a.capacity(), b.capacity()))) {
      var kept = Reg.index("kept");
      all.add(new Code.Set(kept, Expr.use(pair.getFirst())));
      all.add(new Code.Set(pair.getFirst(), Expr.use(pair.getLast())));
      all.add(new Code.Set(pair.getLast(), Expr.use(kept)));
    }
    return all;
  }

  /** Copies by all threads, each taking words in turn. */
  private List<Code> words(Code.CopyBytes copy) {
    var at = Reg.index("word");
    var place = Expr.mul(Expr.use(at), Expr.i64(8));
    var bytes = IndexMath.min(Expr.i64(8), Expr.sub(copy.bytes(), place));
    var body = new ArrayList<Code>();
    body.add(new Code.CopyBytes(Expr.add(copy.to(), place), Expr.add(copy.from(), place), bytes));
    var step = Expr.add(Expr.use(at), Expr.use(grid.threads()));
    body.add(new Code.Set(at, step));
    var first = new Code.Set(at, Expr.use(grid.thread()));
    return List.of(first, new Code.While(Scope.less(place, copy.bytes()), body));
  }

  /** Runs the kernel's blocks, one after the other. */
  private List<Code> kernel(GpuCode.Launch l) {
    var k = used.get(l.kernel());
    var block = Reg.index("block");
    var body = new ArrayList<Code>();
    body.add(new Code.Set(k.grid().thread(), Expr.use(grid.thread())));
    body.add(new Code.Set(k.grid().block(), Expr.use(block)));
    body.add(new Code.Set(k.grid().threads(), l.threads()));
    body.add(new Code.Set(k.grid().blocks(), l.blocks()));
    for (int p = 0; p < k.params().size(); p++) {
      var argument = l.arguments().get(p);
      var param = k.params().get(p).reg();
      if (!argument.equals(Expr.use(param))) {
        body.add(new Code.Set(param, argument));
      }
    }
    if (threads(l) < Kernels.THREADS) {
      var some = Scope.less(Expr.use(grid.thread()), l.threads());
      body.add(new Code.If(some, k.body(), List.of()));
    } else {
      body.addAll(k.body());
    }
    var all = new ArrayList<Code>();
    var one = new ArrayList<Code>();
    one.addAll(unlessFailed(body));
    one.addAll(checks(k) ? lookForFailures() : List.of(barrier()));
    if (Expr.isConst(l.blocks(), 1)) {
      all.add(new Code.Set(block, Expr.i64(0)));
      all.addAll(one);
    } else {
      all.add(new Code.For(block, l.blocks(), one, false, List.of()));
    }
    return all;
  }
}
