package dev.kenaz.kernels;

import dev.kenaz.ir.Lists;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.Liveness;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * Makes kernels of one thread of stretches of a block of the host's code that work on single
 * elements of arrays, or on scalars that live on the device (see {@link DeviceScalars}). What the
 * host does by itself goes before a stretch, as far as neither uses what the other changes.
 */
final class Stretches {
  private final Kernels kernels;
  private final DeviceScalars homes;
  private final Map<Reg, Integer> mentions;
  private final List<Code> host = new ArrayList<>();
  private final List<Code> pending = new ArrayList<>();

  /**
   * Starts a block.
   *
   * @param mentions how often each register is read or set in the function
   */
  Stretches(Kernels kernels, DeviceScalars homes, Map<Reg, Integer> mentions) {
    this.kernels = kernels;
    this.homes = homes;
    this.mentions = mentions;
  }

  /** Takes the statement into a stretch if possible; tells whether it did. */
  boolean takes(Code c) {
    if (homes.works(c)) {
      pending.addAll(withoutMemory(List.of(c)));
      return true;
    }
    return switch (c) {
      case Code.CopyBytes copy when !pending.isEmpty() && SerialCode.small(copy) -> {
        pending.add(copy);
        yield true;
      }
      case Code.Set _, Code.Ensure _, Code.Check _ -> {
        before(c);
        yield true;
      }
      default -> false;
    };
  }

  /** Adds code that the host runs after all that was taken. */
  void host(List<Code> code) {
    flush();
    host.addAll(code);
  }

  /** Ends the block; returns its code. */
  List<Code> end() {
    flush();
    return host;
  }

  private void before(Code c) {
    if (!pending.isEmpty()
        && SerialCode.conflict(Registers.of(pending), Registers.of(List.of(c)))) {
      flush();
    }
    host.add(c);
  }

  /** The code of a thread; memory in its branches is made before. */
  private List<Code> withoutMemory(List<Code> code) {
    var kept = new ArrayList<Code>();
    for (var c : code) {
      switch (c) {
        case Code.If(var condition, var then, var otherwise) ->
            kept.add(new Code.If(condition, withoutMemory(then), withoutMemory(otherwise)));
        case Code.Ensure ensure -> before(ensure);
        default -> kept.add(c);
      }
    }
    return kept;
  }

  private void flush() {
    if (!pending.isEmpty()) {
      var code = List.copyOf(pending);
      pending.clear();
      kernel(code);
    }
  }

  private void kernel(List<Code> code) {
    var here = new HashMap<Reg, Integer>();
    HostPass.count(code, here);
    var left = new LinkedHashSet<>(Registers.of(code).assigned());
    left.removeIf(r -> !mentionedElsewhere(here, r));
    var wanted = left.stream().filter(r -> !homes.has(r)).toList();
    if (wanted.size() == left.size() && loads(code) <= Math.max(1, wanted.size())) {
      here.keySet().stream().filter(r -> !mentionedElsewhere(here, r)).forEach(homes::drop);
      host.addAll(code); // the host waits just as often
      return;
    }
    var results = Slot.fresh("results");
    var after = new ArrayList<Code>();
    var stores = new ArrayList<Code>();
    left.stream().filter(homes::has).forEach(r -> stores.add(homes.store(r, Expr.use(r))));
    for (var reg : wanted) {
      long scale = 8 / reg.prim().byteSize();
      var base = Expr.use(results.base());
      var place = Expr.i64(after.size() * scale);
      stores.add(new Code.Store(reg.prim(), base, place, Expr.use(reg)));
      after.add(new Code.Set(reg, new Expr.Load(reg.prim(), base, place)));
    }
    var all = Lists.concat(code, stores);
    var body = new ArrayList<Code>();
    for (var reg : Liveness.of(all).needed()) {
      if (homes.has(reg)) {
        body.add(new Code.Set(reg, homes.load(reg)));
      }
    }
    body.add(new Code.Gpu(new GpuCode.Attempt(code)));
    body.addAll(stores);
    if (!wanted.isEmpty()) {
      host.add(new Code.Ensure(results, Expr.i64(8L * wanted.size())));
    }
    var what = code.stream().anyMatch(Stretches::loop) ? "serial loop" : "scalars";
    var draft = new Kernels.Draft(what, HostPass.span(code), Kernel.Grid.fresh(), List.of(), body);
    var shape = new Kernels.Shape(Expr.i64(1), Expr.i64(1), Expr.i64(0));
    host.addAll(kernels.launch(draft, shape));
    host.addAll(after);
  }

  private boolean mentionedElsewhere(Map<Reg, Integer> here, Reg reg) {
    return !here.getOrDefault(reg, 0).equals(mentions.getOrDefault(reg, 0));
  }

  private static boolean loop(Code c) {
    return c instanceof Code.For || c instanceof Code.While;
  }

  /** How often the host would wait for an element; a write counts as many. */
  private int loads(List<Code> code) {
    var n = new int[1];
    CodeWalk.code(
        code,
        c -> n[0] += c instanceof Code.Set || c instanceof Code.Check ? 0 : 1000,
        e ->
            n[0] += e instanceof Expr.Load || e instanceof Expr.Use(var r) && homes.has(r) ? 1 : 0);
    return n[0];
  }
}
