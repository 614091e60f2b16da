package dev.kenaz.kernels;

import dev.kenaz.error.Span;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Lists;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.GpuEntries;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.LoopFun.ArrayResult;
import dev.kenaz.loopir.LoopFun.ScalarResult;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Turns an entry's loop IR into host code: parallel loops become kernels, with a thread for each
 * chunk or point, and sequential code over elements of arrays becomes kernels of one thread (see
 * {@link Stretches}), so that the host doesn't fetch each element.
 */
record HostPass(Kernels kernels, DeviceScalars homes, Map<Reg, Integer> mentions) {
  /**
   * A parallel loop that keeps something for each chunk, such as a partial result, has this many
   * chunks.
   */
  private static final long CHUNKS = 1 << 12;

  static GpuEntries.Entry entry(GpuEntries.Entry e) {
    var f = e.host();
    var kernels = new Kernels(e.prefix(), e.kernels());
    var mentions = mentions(f);
    var serial = new SerialCode(f.body(), mentions);
    var homes = DeviceScalars.of(f, serial);
    var pass = new HostPass(kernels, homes, mentions);
    var code = pass.code(f.body());
    var body = Lists.concat(homes.prologue(), homes.rewrite(code, kernels));
    var results = f.results().stream().map(r -> result(r, homes)).toList();
    return kernels.entry(new LoopFun(f.entry(), f.params(), body, results));
  }

  /** How often each register is read or set in the function, its results included. */
  static Map<Reg, Integer> mentions(LoopFun f) {
    var all = new ArrayList<>(f.body());
    for (var r : f.results()) {
      switch (r) {
        case ScalarResult(var e) -> all.add(new Code.Print("", e));
        case ArrayResult(_, var slot, var address, var dims) -> {
          all.add(new Code.Free(slot));
          all.add(new Code.Print("", address));
          dims.forEach(d -> all.add(new Code.Print("", d)));
        }
      }
    }
    var mentions = new HashMap<Reg, Integer>();
    count(all, mentions);
    return mentions;
  }

  private static LoopFun.Result result(LoopFun.Result r, DeviceScalars homes) {
    return switch (r) {
      case ScalarResult(var e) -> new ScalarResult(homes.read(e));
      case ArrayResult a -> a;
    };
  }

  /** How often each register is read or set. */
  static void count(List<Code> code, Map<Reg, Integer> into) {
    Consumer<Reg> add = r -> into.merge(r, 1, Integer::sum);
    CodeWalk.code(
        code,
        c -> {
          switch (c) {
            case Code.Set(var reg, _) -> add.accept(reg);
            case Code.For f -> add.accept(f.i());
            case Code.Plan p -> add.accept(p.chunks());
            case Code.Ensure(var slot, _) -> slot(slot, add);
            case Code.Free(var slot) -> slot(slot, add);
            case Code.Swap(var a, var b) -> {
              slot(a, add);
              slot(b, add);
            }
            case Code.Gpu(var g) -> g.sets().forEach(add);
            default -> {}
          }
        },
        e -> {
          if (e instanceof Expr.Use(var reg)) {
            add.accept(reg);
          }
        });
  }

  private static void slot(Slot slot, Consumer<Reg> add) {
    add.accept(slot.base());
    add.accept(slot.capacity());
  }

  private List<Code> code(List<Code> code) {
    var stretches = new Stretches(kernels, homes, mentions);
    for (var c : code) {
      if (!stretches.takes(c)) {
        stretches.host(statement(c));
      }
    }
    return stretches.end();
  }

  private List<Code> statement(Code c) {
    return switch (c) {
      case Code.Plan(var chunks, var extent, _, var most) -> {
        var few = IndexMath.min(IndexMath.min(extent, most), Expr.i64(CHUNKS));
        yield List.of(new Code.Set(chunks, new Expr.Bin(BinaryOp.MAX, few, Expr.i64(1))));
      }
      case Code.Parallel p -> p.divisible() && !mentions(p) ? points(p) : chunks(p);
      case Code.CopyBytes copy when homes.somewhere(copy) -> words(copy);
      default -> List.of(CodeWalk.withInner(c, this::code));
    };
  }

  // Parallel loops

  private static boolean mentions(Code.Parallel p) {
    return Registers.of(p.body()).mentions(p.chunk());
  }

  private List<Code> points(Code.Parallel p) {
    var at = Reg.index("gid");
    var body = new ArrayList<Code>();
    body.add(new Code.Set(p.lo(), Expr.use(at)));
    body.add(new Code.Set(p.hi(), Expr.add(Expr.use(at), Expr.i64(1))));
    body.addAll(p.body());
    return kernels.perPoint("map over points", span(p.body()), p.extent(), at, body);
  }

  /** Copies by a thread for each word. */
  private List<Code> words(Code.CopyBytes copy) {
    var at = Reg.index("gid");
    var place = Expr.mul(Expr.use(at), Expr.i64(8));
    var bytes = IndexMath.min(Expr.i64(8), Expr.sub(copy.bytes(), place));
    var word = new Code.CopyBytes(Expr.add(copy.to(), place), Expr.add(copy.from(), place), bytes);
    var count = IndexMath.ceil(copy.bytes(), Expr.i64(8));
    return kernels.perPoint("copy of words", Span.NONE, count, at, List.of(word));
  }

  private List<Code> chunks(Code.Parallel p) {
    var grid = Kernel.Grid.fresh();
    var n = Reg.index("extent");
    var chunks = Reg.index("chunks");
    var c = Expr.use(p.chunk());
    var size = Reg.index("size");
    var larger = Reg.index("larger");
    var body = new ArrayList<Code>();
    body.add(
        new Code.Set(
            p.lo(), Expr.add(Expr.mul(c, Expr.use(size)), IndexMath.min(c, Expr.use(larger)))));
    var one =
        new Expr.Select(new Expr.Cmp(CompareOp.LT, c, Expr.use(larger)), Expr.i64(1), Expr.i64(0));
    body.add(new Code.Set(p.hi(), Expr.add(Expr.add(Expr.use(p.lo()), Expr.use(size)), one)));
    body.addAll(p.body());
    var all = new ArrayList<Code>();
    all.add(new Code.Set(p.chunk(), IndexMath.global(grid)));
    var attempt = new Code.Gpu(new GpuCode.Attempt(body));
    var inside = new Expr.Cmp(CompareOp.LT, c, Expr.use(chunks));
    all.add(new Code.If(inside, List.of(attempt), List.of()));
    var threads = Expr.i64(Kernels.THREADS / 4);
    var blocks = Reg.index("blocks");
    var host = new ArrayList<Code>();
    host.add(new Code.Set(n, p.extent()));
    host.add(new Code.Set(chunks, p.chunks()));
    host.add(new Code.Set(size, new Expr.Bin(BinaryOp.QUOT, Expr.use(n), Expr.use(chunks))));
    host.add(new Code.Set(larger, new Expr.Bin(BinaryOp.REM, Expr.use(n), Expr.use(chunks))));
    host.add(new Code.Set(blocks, IndexMath.ceil(Expr.use(chunks), threads)));
    var draft = new Kernels.Draft("chunks", span(p.body()), grid, List.of(), all);
    var shape = new Kernels.Shape(Expr.use(blocks), threads, Expr.i64(0));
    host.addAll(kernels.launch(draft, shape));
    return host;
  }

  /** Returns the place in the source that the code is from, as far as that is known. */
  static Span span(List<Code> code) {
    var found = new Span[] {Span.NONE};
    CodeWalk.code(
        code,
        c -> {
          if (c instanceof Code.Check check && !found[0].known()) {
            found[0] = check.fault().span();
          }
        },
        _ -> {});
    return found[0];
  }
}
