package dev.kenaz.jvm;

import dev.kenaz.ir.Lists;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Cuts a frame that is too large for one method into regions. */
final class MethodSplitting {
  /** A method is searched to at most this depth of nested lists of one statement. */
  private static final int DEEP = 6;

  /** Statements of fewer bytes aren't worth a call. */
  private static final int FEW = 40;

  private final int limit;
  private final boolean all;
  private final Map<List<Code>, Map<Integer, Region>> regions = new IdentityHashMap<>();
  private Set<Slot> made = Set.of();

  /**
   * Cuts to methods of {@code limit} bytes.
   *
   * @param all whether all of the code is cut, except what is smaller than a call
   */
  MethodSplitting(int limit, boolean all) {
    this.limit = limit;
    this.all = all;
  }

  /** Returns the region that begins with this statement of the list, or null. */
  Region startingAt(List<Code> body, int index) {
    return regions.getOrDefault(body, Map.of()).get(index);
  }

  /** Whether anything is cut out of the list itself. */
  boolean isCut(List<Code> body) {
    return regions.containsKey(body);
  }

  /** Returns the registers that any region gets. */
  Set<Reg> handedIn() {
    var all = new HashSet<Reg>();
    regions.values().forEach(m -> m.values().forEach(r -> all.addAll(r.in())));
    return all;
  }

  /**
   * Finds runs of statements that are worth a method, in the body or, where one statement is too
   * large itself, within it.
   *
   * @param read what is read after the body
   * @param made slots that are made before the body
   */
  void split(List<Code> body, List<Reg> read, Set<Slot> made) {
    this.made = made;
    split(body, Set.copyOf(read), 0);
  }

  private void split(List<Code> body, Set<Reg> outside, int depth) {
    int from = 0;
    int size = 0;
    // Calls take space too, so there are few regions, which are cut again themselves.
    int whole = Region.size(body);
    int most = Math.max(limit / 2, whole / 12);
    if (all && body.size() == 1) {
      inside(body, 0, outside, depth);
      return;
    }
    if (all && depth == 0) {
      most = Math.min(most, whole * 2 / 3); // What is cut must become smaller.
    }
    for (int k = 0; k <= body.size(); k++) {
      int next = k < body.size() ? Region.size(body.get(k)) : 0;
      boolean large = next > most;
      if (k == body.size() || large || size + next > most) {
        cut(body, from, k, size, outside);
        from = k;
        size = 0;
      }
      if (large) {
        inside(body, k, outside, depth);
        from = k + 1;
      } else {
        size += next;
      }
    }
  }

  private void cut(List<Code> body, int from, int to, int size, Set<Reg> outside) {
    if (size > (all ? FEW : limit / 8)
        || body.subList(from, to).stream().anyMatch(MethodSplitting::loops)) {
      var region = Region.of(body.subList(from, to), around(body, from, to, outside), made);
      regions.computeIfAbsent(body, _ -> new HashMap<>()).put(from, region);
    }
  }

  /**
   * Whether the code takes long: then it must not stay in a method that is never compiled, however
   * short it is.
   */
  private static boolean loops(Code c) {
    return switch (c) {
      case Code.For _, Code.While _ -> true;
      case Code.If i ->
          i.then().stream().anyMatch(MethodSplitting::loops)
              || i.otherwise().stream().anyMatch(MethodSplitting::loops);
      default -> false;
    };
  }

  private static Set<Reg> around(List<Code> body, int from, int to, Set<Reg> outside) {
    var rest = Lists.concat(body.subList(0, from), body.subList(to, body.size()));
    var r = Registers.of(rest);
    var all = new HashSet<>(outside);
    all.addAll(r.assigned());
    all.addAll(r.read());
    return all;
  }

  /** Makes a large statement on its own a region if it fits, or else cuts it inside. */
  private void inside(List<Code> body, int k, Set<Reg> outside, int depth) {
    var statement = body.get(k);
    if (body.size() > 1 || all && depth > DEEP) {
      cut(body, k, k + 1, Region.size(statement), outside);
      return;
    }
    var around = around(body, k, k + 1, outside);
    switch (statement) {
      case Code.If(var condition, var then, var otherwise) -> {
        var here = with(around, new Code.Print("", condition));
        split(then, with(here, otherwise), depth + 1);
        split(otherwise, with(here, then), depth + 1);
      }
      case Code.For f -> {
        // A vector loop is one piece.
        if (all
            || !f.independent()
            || Region.isLarge(f)
            || f.body().stream().anyMatch(c -> c instanceof Code.For)) {
          var here = with(around, new Code.Print("", f.bound()));
          here.add(f.i());
          split(f.body(), here, depth + 1);
        }
      }
      case Code.While(var condition, var inner) ->
          split(inner, with(around, new Code.Print("", condition)), depth + 1);
      default -> {}
    }
  }

  private static Set<Reg> with(Set<Reg> regs, Code c) {
    return with(regs, List.of(c));
  }

  private static Set<Reg> with(Set<Reg> regs, List<Code> more) {
    var r = Registers.of(more);
    var all = new HashSet<>(regs);
    all.addAll(r.assigned());
    all.addAll(r.read());
    return all;
  }
}
