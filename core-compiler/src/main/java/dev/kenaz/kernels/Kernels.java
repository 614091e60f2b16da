package dev.kenaz.kernels;

import dev.kenaz.error.Span;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Lists;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.GpuEntries;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.Liveness;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import dev.kenaz.loops.Scope;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Makes kernels of code for one entry, and keeps them. */
final class Kernels {
  /** The number of threads of a block, where nothing asks for another number. */
  static final int THREADS = 256;

  /**
   * A block has so many threads if each of them may take long: a few thousand points then keep all
   * processors of a device busy, and a block doesn't wait for its slowest thread for as long.
   */
  private static final long LONG_THREADS = 64;

  /** A kernel with a region of memory for each thread is launched with this many threads. */
  private static final long REGION_THREADS = 1 << 15;

  /** From this many points on a thread may have several, as there are enough threads. */
  private static final long MANY_POINTS = 1 << 20;

  /** From this many points on a thread has several times several. */
  private static final long VERY_MANY_POINTS = 1 << 25;

  private static final int ROUNDS = 4;

  private final String prefix;
  private final List<Kernel> kernels;
  private final Set<String> names = new HashSet<>();
  private final Reg memory = Reg.index("memory");
  private boolean asked;

  /**
   * Starts with the kernels that an entry has already.
   *
   * @param prefix see {@link GpuEntries.Entry#prefix}
   */
  Kernels(String prefix, List<Kernel> kernels) {
    this.prefix = prefix;
    this.kernels = new ArrayList<>(kernels);
    kernels.forEach(k -> names.add(k.name()));
  }

  /** Returns how many bytes of memory the device has, for the host's code. */
  Expr memory() {
    asked = true;
    return Expr.use(memory);
  }

  /** Returns the entry with these kernels. */
  GpuEntries.Entry entry(LoopFun host) {
    if (!asked) {
      return new GpuEntries.Entry(prefix, host, kernels);
    }
    var first = List.<Code>of(new Code.Gpu(new GpuCode.Memory(memory)));
    return new GpuEntries.Entry(prefix, host.with(Lists.concat(first, host.body())), kernels);
  }

  /**
   * What a kernel is to be.
   *
   * @param what it computes in a few words; the first word names the kernel
   * @param body loop IR that a thread runs, checks included; it may use and leave slots
   */
  record Draft(
      String what, Span span, Kernel.Grid grid, List<Kernel.Shared> shared, List<Code> body) {}

  /** How a draft is launched. */
  record Shape(Expr blocks, Expr threads, Expr sharedBytes) {}

  /**
   * Returns the code that runs the body at every point below the extent, with a thread for each
   * point, or for several where each thread needs much memory, or has little to do.
   *
   * @param at register that is set to the point
   */
  List<Code> perPoint(String what, Span span, Expr extent, Reg at, List<Code> body) {
    var n = Reg.index("extent");
    var points =
        ThreadCoarsening.suits(body)
            ? several(what, span, n, at, body)
            : one(what, span, n, at, body);
    var host = new ArrayList<Code>();
    host.add(new Code.Set(n, extent));
    host.addAll(points);
    return host;
  }

  private List<Code> one(String what, Span span, Reg n, Reg at, List<Code> body) {
    var grid = Kernel.Grid.fresh();
    var here = Expr.use(at);
    boolean few = KernelSlots.needsRegion(body);
    var all = new ArrayList<Code>();
    all.add(new Code.Set(at, IndexMath.global(grid)));
    var attempt = new Code.Gpu(new GpuCode.Attempt(body));
    var inside = Scope.less(here, Expr.use(n));
    if (few) {
      var step = Expr.mul(Expr.use(grid.blocks()), Expr.use(grid.threads()));
      all.add(new Code.While(inside, List.of(attempt, new Code.Set(at, Expr.add(here, step)))));
    } else {
      all.add(new Code.If(inside, List.of(attempt), List.of()));
    }
    Expr most = few ? IndexMath.min(Expr.use(n), Expr.i64(REGION_THREADS)) : Expr.use(n);
    var draft = new Draft(what, span, grid, List.of(), all);
    return launchPoints(draft, most, takesLong(body) ? LONG_THREADS : THREADS);
  }

  /** Whether a thread may do more than a few iterations for a point. */
  private static boolean takesLong(List<Code> body) {
    var found = new boolean[1];
    CodeWalk.code(
        body,
        c ->
            found[0] |=
                c instanceof Code.While
                    || c instanceof Code.For f && !(f.bound() instanceof Expr.Lit),
        _ -> {});
    return found[0];
  }

  /**
   * Runs several points by each thread where there are many; a block's points are neighbours. Where
   * there are very many, a thread takes several rounds of points, as it has to ask for a failure of
   * an earlier kernel before it begins, and waits as long for that as for its points.
   */
  private List<Code> several(String what, Span span, Reg n, Reg at, List<Code> body) {
    var grid = Kernel.Grid.fresh();
    var items = Reg.index("items");
    var rounds = Reg.index("rounds");
    var threads = Expr.use(grid.threads());
    var round = Expr.mul(threads, Expr.use(items));
    var r = Reg.index("r");
    var number = Expr.add(Expr.mul(Expr.use(grid.block()), Expr.use(rounds)), Expr.use(r));
    var first = Reg.index("first");
    List<Expr> points =
        IntStream.range(0, ThreadCoarsening.POINTS)
            .mapToObj(k -> Expr.add(Expr.use(first), Expr.mul(Expr.i64(k), threads)))
            .toList();
    var k = Reg.index("k");
    var rest = new ArrayList<Code>();
    rest.add(new Code.Set(at, Expr.add(Expr.use(first), Expr.mul(Expr.use(k), threads))));
    rest.add(new Code.If(Scope.less(Expr.use(at), Expr.use(n)), body, List.of()));
    var one = new Code.For(k, Expr.use(items), rest, false, List.of());
    var full =
        Scope.and(
            Scope.less(Expr.i64(1), Expr.use(items)), Scope.less(points.getLast(), Expr.use(n)));
    List<Code> once =
        List.of(
            new Code.Set(first, Expr.add(Expr.mul(number, round), Expr.use(grid.thread()))),
            new Code.If(full, ThreadCoarsening.of(body, at, points), List.of(one)));
    List<Code> all = List.of(new Code.For(r, Expr.use(rounds), once, false, List.of()));
    var host = new ArrayList<Code>();
    host.add(new Code.Set(items, among(n, MANY_POINTS, ThreadCoarsening.POINTS)));
    host.add(new Code.Set(rounds, among(n, VERY_MANY_POINTS, ROUNDS)));
    host.addAll(
        launchPoints(
            new Draft(what, span, grid, List.of(), all),
            IndexMath.ceil(Expr.use(n), Expr.mul(Expr.use(items), Expr.use(rounds))),
            THREADS));
    return host;
  }

  /** Returns the number if there are so many points, otherwise 1. */
  private static Expr among(Reg n, long points, long number) {
    var many = new Expr.Cmp(CompareOp.LE, Expr.i64(points), Expr.use(n));
    return new Expr.Select(many, Expr.i64(number), Expr.i64(1));
  }

  private List<Code> launchPoints(Draft draft, Expr count, long blockThreads) {
    var threads = Expr.i64(blockThreads);
    var blocks = Reg.index("blocks");
    var host = new ArrayList<Code>();
    host.add(new Code.Set(blocks, IndexMath.ceil(count, threads)));
    host.addAll(launch(draft, new Shape(Expr.use(blocks), threads, Expr.i64(0))));
    return host;
  }

  /** Returns the code that launches the kernel, with memory for its slots. */
  List<Code> launch(Draft draft, Shape shape) {
    var slots = KernelSlots.of(draft.body, shape, draft.grid);
    var body = new ArrayList<Code>(slots.prologue());
    body.addAll(Indices.simplified(slots.body()));
    return Lists.with(slots.host(), launch(draft, shape, slots.locals(), slots.heap(), body));
  }

  /** Adds a kernel of a body that has memory for its slots; returns its launch. */
  private Code launch(
      Draft draft, Shape shape, List<Kernel.Local> locals, List<Slot> heap, List<Code> body) {
    var own = new HashSet<Reg>();
    var g = draft.grid;
    own.addAll(List.of(g.thread(), g.block(), g.threads(), g.blocks()));
    draft.shared.forEach(s -> own.add(s.base()));
    locals.forEach(l -> own.add(l.base()));
    heap.forEach(s -> own.addAll(List.of(s.base(), s.capacity())));
    var needed = Liveness.of(body).needed();
    var bases = Bases.of(body);
    var params = new ArrayList<Kernel.Param>();
    var arguments = new ArrayList<Expr>();
    for (var reg : needed) {
      if (!own.contains(reg)) {
        params.add(new Kernel.Param(reg, bases.contains(reg)));
        arguments.add(Expr.use(reg));
      }
    }
    var name = name(draft.what, draft.span);
    kernels.add(
        new Kernel(
            name, draft.span, draft.what, params, draft.grid, draft.shared, locals, heap, body));
    return new Code.Gpu(
        new GpuCode.Launch(name, shape.blocks, shape.threads, shape.sharedBytes, arguments));
  }

  /** Returns the launch of one block of a kernel that is made of others. */
  Code launchOne(Draft draft, List<Kernel.Local> locals) {
    var shape = new Shape(Expr.i64(1), Expr.i64(THREADS), Expr.i64(0));
    return launch(draft, shape, locals, List.of(), draft.body);
  }

  Kernel kernel(String name) {
    return kernels.stream().filter(k -> k.name().equals(name)).findFirst().orElseThrow();
  }

  /**
   * Makes a kernel read some parameters from memory.
   *
   * @param homes what it reads for each
   * @param base address in them
   * @return whether the base is a further parameter of the kernel, the last one
   */
  boolean reading(String name, Map<Reg, Expr> homes, Reg base) {
    int at = 0;
    while (!kernels.get(at).name().equals(name)) {
      at++;
    }
    var k = kernels.get(at);
    var params = new ArrayList<>(k.params());
    params.removeIf(p -> homes.containsKey(p.reg()));
    boolean further = params.stream().noneMatch(p -> p.reg().equals(base));
    if (further) {
      params.add(new Kernel.Param(base, true));
    }
    var body = new ArrayList<Code>();
    homes.forEach((reg, home) -> body.add(new Code.Set(reg, home)));
    body.addAll(k.body());
    kernels.set(at, k.with(params, body));
    return further;
  }

  private String name(String what, Span span) {
    var word = what.split(" ")[0].replaceAll("[^A-Za-z0-9_]", "_");
    var name = prefix + "_" + word + (span.known() ? "_line" + span.line() : "");
    var unique = name;
    for (int k = 2; !names.add(unique); k++) {
      unique = name + "_" + k;
    }
    return unique;
  }

  /** Finds the registers that are bases of loads or stores. */
  private static final class Bases {
    private final Set<Reg> found = new HashSet<>();

    static Set<Reg> of(List<Code> code) {
      var b = new Bases();
      CodeWalk.code(
          code,
          c -> {
            switch (c) {
              case Code.Store(_, var base, _, _) -> b.base(base);
              case Code.AtomicUpdate(_, _, var base, _, _) -> b.base(base);
              case Code.Gpu(GpuCode.ReadShared(_, _, var base, _)) -> b.base(base);
              case Code.Gpu(GpuCode.WriteShared(_, var base, _, _)) -> b.base(base);
              case Code.Gpu(GpuCode.Fetch(_, _, _, var base, _, _)) -> b.base(base);
              case Code.Gpu(GpuCode.Locked(var base, _, _)) -> b.base(base);
              default -> {}
            }
          },
          e -> {
            if (e instanceof Expr.Load(_, var base, _)) {
              b.base(base);
            }
          });
      b.found.removeAll(Registers.of(code).assigned());
      return b.found;
    }

    private void base(Expr e) {
      if (e instanceof Expr.Use(var reg)) {
        found.add(reg);
      }
    }
  }
}
