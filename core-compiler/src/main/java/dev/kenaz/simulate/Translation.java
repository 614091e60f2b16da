package dev.kenaz.simulate;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.kernels.Eval;
import dev.kenaz.kernels.Expressions;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Slot;
import dev.kenaz.simulate.SharedMemoryRaces.Access;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.List;
import java.util.function.IntConsumer;

/** Translates statements to instructions of a warp. Constructs narrow the mask of active lanes. */
record Translation(KernelCode code, Expressions expressions) {
  private static final Prim LOCK = Prim.I32;

  void block(List<Code> statements) {
    statements.forEach(this::statement);
  }

  /** An instruction that is done for each active lane, one after the other. */
  private interface LaneAction {
    void run(Warp warp, int lane);
  }

  private void lanes(Code origin, LaneAction action) {
    code.add(
        origin,
        w -> {
          each(w.active, lane -> action.run(w, lane));
          w.at++;
        });
  }

  private static void each(int mask, IntConsumer action) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      action.accept(Integer.numberOfTrailingZeros(rest));
    }
  }

  private void statement(Code c) {
    switch (c) {
      case Code.Set(var reg, var e) -> {
        int to = expressions.number(reg);
        var value = expressions.of(e);
        lanes(c, (w, lane) -> w.set(to, lane, value.of(w, lane)));
      }
      case Code.Store(var prim, var base, var index, var value) ->
          store(c, prim, expressions.address(prim, base, index), expressions.of(value));
      case Code.AtomicUpdate(var op, var prim, var base, var index, var value) -> {
        var address = expressions.address(prim, base, index);
        var x = expressions.of(value);
        lanes(
            c,
            (w, lane) -> {
              long at = address.of(w, lane);
              var old = new ScalarValue(prim, w.load(lane, prim, at, Access.ATOMIC_READ));
              var given = new ScalarValue(prim, x.of(w, lane));
              var combined = ScalarOps.binary(op, old, given);
              w.store(lane, prim, at, combined.bits(), Access.ATOMIC_WRITE);
            });
      }
      case Code.Ensure(var slot, var bytes) -> ensure(c, slot, expressions.of(bytes));
      case Code.Free(var slot) -> lanes(c, (w, lane) -> free(w, lane, slot));
      case Code.Swap(var a, var b) -> {
        swap(c, a.base(), b.base());
        swap(c, a.capacity(), b.capacity());
      }
      case Code.CopyBytes(var to, var from, var bytes) -> copy(c, to, from, bytes);
      case Code.If branch -> branch(branch);
      case Code.For loop -> loop(loop);
      case Code.While(var condition, var body) -> {
        int enter = code.add(c, null);
        repeat(c, enter, expressions.of(condition), body, null);
      }
      case Code.Print(var label, var value) -> {
        var x = expressions.of(value);
        lanes(
            c,
            (w, lane) ->
                System.err.println(label + ": " + new ScalarValue(value.prim(), x.of(w, lane))));
      }
      case Code.Gpu(var g) -> gpu(c, g);
      case Code.Check _, Code.Plan _, Code.Parallel _, Code.MatrixProduct _, Code.Call _ ->
          throw new CompilerBug("simulate", "not for a kernel: " + c);
    }
  }

  /** Translates a store. All lanes compute before any lane stores, as on a GPU. */
  private void store(Code c, Prim prim, Eval address, Eval value) {
    code.add(
        c,
        w -> {
          var to = new long[Warp.LANES];
          var bits = new long[Warp.LANES];
          each(
              w.active,
              lane -> {
                to[lane] = address.of(w, lane);
                bits[lane] = value.of(w, lane);
              });
          each(w.active, lane -> w.store(lane, prim, to[lane], bits[lane], Access.WRITE));
          w.at++;
        });
  }

  // Memory of a thread

  private void ensure(Code c, Slot slot, Eval bytes) {
    int base = expressions.number(slot.base());
    int capacity = expressions.number(slot.capacity());
    code.add(
        c,
        w -> {
          int without = 0;
          for (int rest = w.active; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            long wanted = bytes.of(w, lane);
            if (w.get(base, lane) == 0 || w.get(capacity, lane) < wanted) {
              free(w, lane, slot);
              long address = w.block.grid.heap("a thread's " + slot.base().name(), wanted);
              w.set(base, lane, address);
              w.set(capacity, lane, wanted);
              without |= address == 0 ? 1 << lane : 0;
            }
          }
          w.gone |= without;
          w.active &= ~without;
          w.at++;
        });
  }

  private void free(Warp w, int lane, Slot slot) {
    int base = expressions.number(slot.base());
    if (w.get(base, lane) != 0) {
      w.block.grid.memory.free(w.get(base, lane));
    }
    w.set(base, lane, 0);
    w.set(expressions.number(slot.capacity()), lane, -1);
  }

  private void swap(Code c, Reg a, Reg b) {
    int x = expressions.number(a);
    int y = expressions.number(b);
    lanes(
        c,
        (w, lane) -> {
          long old = w.get(x, lane);
          w.set(x, lane, w.get(y, lane));
          w.set(y, lane, old);
        });
  }

  private void copy(Code c, Expr to, Expr from, Expr bytes) {
    var target = expressions.of(to);
    var source = expressions.of(from);
    var count = expressions.of(bytes);
    lanes(
        c,
        (w, lane) -> {
          long n = count.of(w, lane);
          long a = target.of(w, lane);
          long b = source.of(w, lane);
          for (long i = 0; i < n; i++) {
            w.store(lane, Prim.I8, a + i, w.load(lane, Prim.I8, b + i, Access.READ), Access.WRITE);
          }
        });
  }

  // Control

  private void branch(Code.If c) {
    var condition = expressions.of(c.condition());
    int test = code.add(c, null);
    block(c.then());
    int turn = code.add(c, null);
    block(c.otherwise());
    int end = code.add(c, Translation::leave);
    code.replace(
        test,
        w -> {
          int yes = w.holds(condition);
          int no = w.active & ~yes;
          w.enter(yes == 0 ? 0 : no);
          w.active = yes == 0 ? no : yes;
          w.at = yes == 0 ? turn + 1 : test + 1;
        });
    code.replace(
        turn,
        w -> {
          var frame = w.frames.peek();
          w.active = frame.rest & ~w.gone;
          frame.rest = 0;
          w.at = w.active == 0 ? end : turn + 1;
        });
  }

  private static void leave(Warp w) {
    w.leave();
    w.at++;
  }

  private void loop(Code.For c) {
    int i = expressions.number(c.i());
    int n = expressions.number(Reg.index("bound"));
    var bound = expressions.of(c.bound());
    lanes(
        c,
        (w, lane) -> {
          w.set(n, lane, bound.of(w, lane));
          w.set(i, lane, 0);
        });
    int enter = code.add(c, null);
    repeat(
        c,
        enter,
        (w, lane) -> w.get(i, lane) < w.get(n, lane) ? 1 : 0,
        c.body(),
        (w, lane) -> w.set(i, lane, w.get(i, lane) + 1));
  }

  /**
   * Translates a loop. As long as the condition holds in any lane, the lanes in which it has held
   * so far run the body.
   */
  private void repeat(Code c, int enter, Eval condition, List<Code> body, LaneAction next) {
    code.replace(
        enter,
        w -> {
          w.enter(0);
          w.at++;
        });
    int test = code.add(c, null);
    block(body);
    if (next != null) {
      lanes(c, next);
    }
    int back = code.add(c, w -> w.at = test);
    code.replace(
        test,
        w -> {
          w.active = w.holds(condition);
          if (w.active == 0) {
            w.leave();
            w.at = back + 1;
          } else {
            w.at++;
          }
        });
  }

  // What only GPUs have

  private void gpu(Code c, GpuCode g) {
    switch (g) {
      case GpuCode.Barrier _ -> code.add(c, Translation::barrier);
      case GpuCode.Fence _ ->
          code.add(
              c,
              w -> {
                w.block.grid.fence(w, w.active);
                w.at++;
              });
      case GpuCode.ReadShared(var to, var prim, var base, var index) -> {
        int reg = expressions.number(to);
        var address = expressions.address(prim, base, index);
        lanes(
            c,
            (w, lane) -> {
              w.block.grid.look();
              w.set(reg, lane, w.look(lane, prim, address.of(w, lane)));
            });
      }
      case GpuCode.WriteShared(var prim, var base, var index, var value) -> {
        var address = expressions.address(prim, base, index);
        var x = expressions.of(value);
        lanes(c, (w, lane) -> w.publish(lane, prim, address.of(w, lane), x.of(w, lane)));
      }
      case GpuCode.Fetch f -> fetch(c, f);
      case GpuCode.Locked l -> locked(c, l);
      case GpuCode.Shuffle s -> shuffle(c, s);
      case GpuCode.Ballot(var to, var condition) -> {
        int reg = expressions.number(to);
        var test = expressions.of(condition);
        code.add(
            c,
            w -> {
              together(w, "a ballot");
              long mask = w.holds(test) & 0xFFFF_FFFFL;
              each(w.active, lane -> w.set(reg, lane, mask));
              w.at++;
            });
      }
      case GpuCode.MultiplyTile m -> code.add(c, new TileProduct(expressions, m));
      case GpuCode.Failed(var to) -> {
        int reg = expressions.number(to);
        lanes(c, (w, lane) -> w.set(reg, lane, w.block.grid.failed() ? 1 : 0));
      }
      case GpuCode.Guard guard -> guard(c, guard);
      case GpuCode.Attempt(var body) -> {
        code.add(
            c,
            w -> {
              w.enter(0);
              w.at++;
            });
        block(body);
        code.add(
            c,
            w -> {
              var frame = w.frames.pop();
              w.gone = frame.gone;
              w.active = frame.active & ~w.gone;
              w.at++;
            });
      }
      case GpuCode.Launch _, GpuCode.Memory _ ->
          throw new CompilerBug("simulate", "only the host does this: " + c);
    }
  }

  private static void barrier(Warp w) {
    w.at++;
    if ((w.lanes & ~w.gone) != 0) {
      together(w, "a barrier");
      w.waiting = true;
    }
  }

  /** Checks that all lanes are active but those that have failed. */
  static void together(Warp w, String what) {
    if (w.active != (w.lanes & ~w.gone)) {
      throw new Finding(
          what + " that only some threads of a warp come to: lanes " + mask(w.active));
    }
  }

  private static String mask(int lanes) {
    return "%32s".formatted(Integer.toBinaryString(Integer.reverse(lanes))).replace(' ', '0');
  }

  private void fetch(Code c, GpuCode.Fetch f) {
    var prim = f.prim();
    int old = expressions.number(f.old());
    var address = expressions.address(prim, f.base(), f.index());
    var value = expressions.of(f.value());
    lanes(
        c,
        (w, lane) -> {
          long at = address.of(w, lane);
          var x = new ScalarValue(prim, w.load(lane, prim, at, Access.ATOMIC_READ));
          var y = new ScalarValue(prim, value.of(w, lane));
          w.store(lane, prim, at, ScalarOps.binary(f.op(), x, y).bits(), Access.ATOMIC_WRITE);
          w.set(old, lane, x.bits());
        });
  }

  /**
   * Translates a lock. One lane after the other gets it; while another warp has it, this warp tries
   * again.
   */
  private void locked(Code c, GpuCode.Locked l) {
    var lock = expressions.address(LOCK, l.base(), l.index());
    code.add(
        c,
        w -> {
          w.enter(w.active);
          w.at++;
        });
    int take = code.add(c, null);
    block(l.body());
    int release = code.add(c, null);
    code.replace(
        take,
        w -> {
          var frame = w.frames.peek();
          frame.rest &= ~w.gone;
          if (frame.rest == 0) {
            w.leave();
            w.at = release + 1;
            return;
          }
          for (int rest = frame.rest; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            long at = lock.of(w, lane);
            if (w.load(lane, LOCK, at, Access.ATOMIC_READ) == 0) {
              w.store(lane, LOCK, at, 1, Access.ATOMIC_WRITE);
              frame.rest &= ~(1 << lane);
              w.active = 1 << lane;
              w.block.grid.fence(w, w.active);
              w.at++;
              return;
            }
          }
          w.block.grid.look();
          w.stuck = true;
        });
    code.replace(
        release,
        w -> {
          w.block.grid.fence(w, w.active);
          each(w.active, lane -> w.store(lane, LOCK, lock.of(w, lane), 0, Access.ATOMIC_WRITE));
          w.at = take;
        });
  }

  private void shuffle(Code c, GpuCode.Shuffle s) {
    int to = expressions.number(s.to());
    var value = expressions.of(s.value());
    var lane = expressions.of(s.lane());
    var how = s.how();
    code.add(
        c,
        w -> {
          together(w, "a shuffle");
          var given = new long[Warp.LANES];
          var from = new int[Warp.LANES];
          each(
              w.active,
              l -> {
                given[l] = value.of(w, l);
                int d = (int) lane.of(w, l);
                int other =
                    switch (how) {
                      case UP -> l - d;
                      case DOWN -> l + d;
                      case AT -> d & 31;
                    };
                from[l] = other >= 0 && other < Warp.LANES ? other : l;
              });
          each(
              w.active,
              l -> {
                if ((w.active >>> from[l] & 1) == 0 && !w.block.grid.failed()) {
                  throw new Finding("a shuffle from lane " + from[l] + ", which isn't there");
                }
                w.set(to, l, given[from[l]]);
              });
          w.at++;
        });
  }

  private void guard(Code c, GpuCode.Guard g) {
    var condition = expressions.of(g.condition());
    var arguments = g.arguments().stream().map(expressions::of).toList();
    code.add(
        c,
        w -> {
          int failing = w.active & ~w.holds(condition);
          each(
              failing,
              lane ->
                  w.block.grid.fail(
                      g.site(), arguments.stream().mapToLong(a -> a.of(w, lane)).toArray()));
          w.gone |= failing;
          w.active &= ~failing;
          w.at++;
        });
  }
}
