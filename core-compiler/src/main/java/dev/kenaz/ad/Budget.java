package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Bounds the memory that loops keep for their return sweeps. When a loop is reached, the number of
 * its iterations times the bytes kept for each is compared with the memory that is left. If that
 * fits, all is kept; otherwise the return sweep executes iterations again from as many {@link
 * Checkpoints} as there is room for. What a loop keeps is then not left for loops after it nor for
 * those in its return sweep, but for those before it, whose return sweeps come later. Both versions
 * are compiled. The papers do not have this rule: in 001 §4.3 the user chooses.
 *
 * <p>As each such loop doubles the code of its body, loops within two others in a return sweep
 * always keep what they need.
 */
final class Budget {
  private static final int DEEPEST = 2;

  /** With fewer slots, the work would grow with the square of the number of iterations. */
  private static final int FEWEST_SLOTS = 4;

  private Budget() {}

  static boolean apply(Reverse r, Loop loop) {
    return r.options.budget().isPresent() && r.loops() < DEEPEST && Checkpoints.apply(loop);
  }

  /** Returns the number of checkpoints of these parameters that there is room for. */
  static Atom slots(Reverse r, Builder b, List<Var> states) {
    var each = b.binary(BinaryOp.MAX, bytes(b, states, 0), i64(1));
    var slots = b.binary(BinaryOp.QUOT, r.memory(), each);
    return b.binary(BinaryOp.MAX, slots, i64(FEWEST_SLOTS));
  }

  /**
   * Emits code that tells whether all iterations fit. It binds {@code kept} to how many are kept.
   *
   * @param each how many bytes are kept for one iteration
   */
  static Atom fits(Reverse r, Builder b, Atom each, Atom n, Var kept) {
    var most = b.binary(BinaryOp.QUOT, r.memory(), b.binary(BinaryOp.MAX, each, i64(1)));
    var fits = b.compare(CompareOp.LE, n, most);
    b.bindAll(List.of(kept), new Alias(b.choose(fits, n, i64(0))));
    return fits;
  }

  /**
   * Returns the number of bytes that a loop keeps for an iteration.
   *
   * @param pattern the results, then the arrays of what is kept, which have one row for each
   *     iteration
   */
  static Atom each(Builder b, List<Var> results, List<Var> pattern) {
    return bytes(b, pattern.subList(results.size(), pattern.size()), 1);
  }

  /** Takes the bytes that {@link #each} tells from what the code after the loop may keep. */
  static void take(Reverse r, Builder b, List<Var> results, List<Var> pattern, Atom n) {
    if (r.options.budget().isPresent()) {
      r.keepBytes(b, b.mul(each(b, results, pattern), n));
    }
  }

  /** Takes one of two amounts of bytes, by whether everything fits. */
  static void take(Reverse r, Builder b, Atom fits, Atom all, Atom checkpoints) {
    r.keepBytes(b, b.choose(fits, all, checkpoints));
  }

  /**
   * Emits the number of bytes of such values, without their outermost {@code skipped} dimensions.
   */
  static Atom bytes(Builder b, List<Var> vars, int skipped) {
    Atom sum = i64(0);
    for (var v : vars) {
      Atom size = i64(v.type().elemPrim().byteSize());
      for (var d : v.type().dims().subList(skipped, v.type().dims().size())) {
        size = b.mul(size, d);
      }
      sum = b.add(sum, size);
    }
    return sum;
  }

  /**
   * Emits the forward sweep: the loop that keeps what it needs if that fits, else the plain loop.
   */
  static void emit(
      Builder b, Stm stm, Loop plain, Atom fits, Builder then, List<Var> pattern, Loop taped) {
    var names = pattern.stream().map(Names::like).toList();
    then.with(stm.attrs()).bindAll(names, taped);
    var otherwise = b.inner();
    int k = stm.pattern().size();
    var own = stm.pattern().stream().map(Names::like).toList();
    otherwise.with(stm.attrs()).bindAll(own, (Loop) new Renaming().exp(plain));
    var results = new ArrayList<Atom>(own);
    for (var v : pattern.subList(k, pattern.size())) {
      results.add(otherwise.bind("ck", new Scratch(v.type().elemPrim(), v.type().dims())));
    }
    b.bindAll(pattern, new If(fits, then.body(names), otherwise.body(results)));
  }

  /** Emits the return sweep of the version that was executed. */
  static void sweep(
      Reverse r, Sweep s, Stm stm, Atom fits, Consumer<Sweep> taped, Consumer<Sweep> again) {
    var pattern = stm.pattern();
    if (pattern.stream().allMatch(s::isZero)) {
      return;
    }
    var seeds = new ArrayList<Adjoint>();
    pattern.forEach(v -> seeds.add(s.take(v)));
    var free = r.activity.among(FreeVars.of(stm.exp()));
    var sweeps = new ArrayList<Sweep>();
    for (var version : List.of(taped, again)) {
      var inner = s.inner();
      free.stream().filter(v -> !s.isZero(v)).forEach(v -> inner.set(v, s.get(v)));
      for (int i = 0; i < pattern.size(); i++) {
        if (seeds.get(i) != null) {
          inner.set(pattern.get(i), seeds.get(i));
        }
      }
      r.notHandedOver(pattern);
      version.accept(inner);
      r.notHandedOver(pattern);
      sweeps.add(inner);
    }
    ReverseIf.join(s, fits, free, sweeps.get(0), sweeps.get(1));
  }
}
