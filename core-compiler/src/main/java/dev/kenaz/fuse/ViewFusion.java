package dev.kenaz.fuse;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import dev.kenaz.pass.Tally;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Fuses across views (002 §4.1, §4.2): a view of what a map makes is what the map makes of views,
 * so that whoever uses the view can fuse with the map.
 *
 * <pre>
 *   transpose (map (map f) a)      is  map (map f) (transpose a)
 *   flatten (map (map f) a)        is  map f (flatten a)
 *   let (y, z) = split (map f a)   is  y = map f a1, z = map f a2 where (a1, a2) = split a
 * </pre>
 *
 * The rule applies only where nothing but such views uses the map, so that no work is done twice.
 */
final class ViewFusion {
  private ViewFusion() {}

  static void run(Block block) {
    int at = 0;
    while (at < block.stms().size()) {
      at = moved(block, at) ? 0 : at + 1;
    }
  }

  private static boolean moved(Block block, int at) {
    var stm = block.stms().get(at);
    if (!(stm.exp() instanceof Screma s)
        || !s.isMap()
        || stm.pattern().size() != 1
        || Effects.observable(s)) {
      return false;
    }
    var uses = users(block, stm.var());
    if (uses.isEmpty()
        || block.isResult(stm.var())
        || !uses.stream().allMatch(u -> isView(u.exp()) && feeds(block, u.var()))
        || uses.size() > 1 && !apart(uses)) {
      return false;
    }
    var made = uses.stream().map(u -> of(s, stm, u)).toList();
    return made.stream().allMatch(Optional::isPresent)
        && replace(block, stm, uses, made.stream().map(Optional::get).toList());
  }

  private static List<Stm> users(Block block, Var v) {
    return block.stms().stream().filter(s -> block.reads(s).contains(v)).toList();
  }

  private static boolean isView(Exp exp) {
    return switch (exp) {
      case Rearrange _, Reshape _ -> true;
      case Slice x -> !x.checked();
      default -> false;
    };
  }

  /** Whether operators get all of the view row by row, perhaps after further views. */
  private static boolean feeds(Block block, Var view) {
    var uses = users(block, view);
    return !uses.isEmpty()
        && !block.isResult(view)
        && uses.stream()
            .allMatch(
                u ->
                    isView(u.exp()) && feeds(block, u.var())
                        || Join.inputs(u.exp()).contains(view)
                            && !Join.otherUses(u.exp()).contains(view));
  }

  /** Whether there are two slices, of which the second begins where the first ends. */
  private static boolean apart(List<Stm> uses) {
    return uses.size() == 2
        && uses.get(0).exp() instanceof Slice(_, var a, _)
        && uses.get(1).exp() instanceof Slice(_, var b, _)
        && a.getFirst() instanceof DimSlice.Range(var from, var count, var by)
        && b.getFirst() instanceof DimSlice.Range(var start, _, var step)
        && from.isConst(0)
        && by.isConst(1)
        && step.isConst(1)
        && start.equals(count);
  }

  /**
   * The map of views that is this view of the map: statements, of which the last binds the view.
   */
  private static Optional<List<Stm>> of(Screma s, Stm map, Stm view) {
    return switch (view.exp()) {
      case Rearrange(var perm, _) -> rearranged(s, view, perm);
      case Reshape(var shape, _) -> reshaped(s, map, view, shape);
      case Slice(_, var slice, _) -> sliced(s, map, view, slice);
      default -> Optional.empty();
    };
  }

  private static List<Stm> built(
      MapNest nest, Stm view, List<Atom> widths, Builder b, List<MapNest.Leaf> leaves) {
    var result = nest.build(b, widths, leaves).getFirst();
    var stms = new ArrayList<>(b.stms());
    var last = stms.removeLast();
    if (!last.pattern().equals(List.of(result))) {
      throw new IllegalStateException("a nest is one statement");
    }
    stms.add(new Stm(view.pattern(), last.exp(), last.attrs(), view.span()));
    return stms;
  }

  private static Optional<List<Stm>> rearranged(Screma s, Stm view, List<Integer> perm) {
    int depth = perm.size();
    while (depth > 0 && perm.get(depth - 1) == depth - 1) {
      depth--;
    }
    int levels = depth;
    return MapNest.of(s, depth)
        .map(
            nest -> {
              var b = new Builder(view.span());
              var leaves = new ArrayList<MapNest.Leaf>();
              for (var leaf : nest.leaves()) {
                var order =
                    IntStream.range(0, leaf.levels().size())
                        .boxed()
                        .sorted(Comparator.comparing(d -> perm.indexOf(leaf.levels().get(d))))
                        .toList();
                var to = order.stream().map(d -> perm.indexOf(leaf.levels().get(d))).toList();
                leaves.add(new MapNest.Leaf(leaf.param(), permuted(b, leaf.array(), order), to));
              }
              var widths = perm.subList(0, levels).stream().map(nest.widths()::get).toList();
              return built(nest, view, widths, b, leaves);
            });
  }

  private static Var permuted(Builder b, Var array, List<Integer> outer) {
    var perm = new ArrayList<>(outer);
    for (int d = outer.size(); d < array.type().dims().size(); d++) {
      perm.add(d);
    }
    boolean same = IntStream.range(0, perm.size()).allMatch(d -> perm.get(d) == d);
    return same ? array : b.bind("tr", new Rearrange(perm, array));
  }

  private static Optional<List<Stm>> reshaped(Screma s, Stm map, Stm view, List<Atom> shape) {
    var from = map.var().type().dims();
    int same = 0;
    while (same < Math.min(from.size(), shape.size()) - 1
        && from.get(from.size() - 1 - same).equals(shape.get(shape.size() - 1 - same))) {
      same++;
    }
    int depth = from.size() - same;
    var widths = shape.subList(0, shape.size() - same);
    var all = IntStream.range(0, depth).boxed().toList();
    return MapNest.of(s, depth)
        .filter(nest -> nest.leaves().stream().allMatch(l -> l.levels().equals(all)))
        .map(
            nest -> {
              var b = new Builder(view.span());
              var to = IntStream.range(0, widths.size()).boxed().toList();
              var leaves = new ArrayList<MapNest.Leaf>();
              for (var leaf : nest.leaves()) {
                var dims = new ArrayList<>(widths);
                dims.addAll(
                    leaf.array().type().dims().subList(depth, leaf.array().type().dims().size()));
                var flat = b.bind("flat", new Reshape(dims, leaf.array()));
                leaves.add(new MapNest.Leaf(leaf.param(), flat, to));
              }
              return built(nest, view, widths, b, leaves);
            });
  }

  private static Optional<List<Stm>> sliced(Screma s, Stm map, Stm view, List<DimSlice> slice) {
    if (slice.stream().anyMatch(d -> d instanceof DimSlice.Fix)) {
      return Optional.empty();
    }
    int depth = slice.size();
    while (depth > 0 && slice.get(depth - 1).isWhole(map.var().type().dims().get(depth - 1))) {
      depth--;
    }
    int levels = depth;
    return MapNest.of(s, depth)
        .map(
            nest -> {
              var b = new Builder(view.span());
              var leaves = new ArrayList<MapNest.Leaf>();
              for (var leaf : nest.leaves()) {
                var dims = new ArrayList<DimSlice>();
                leaf.levels().forEach(l -> dims.add(slice.get(l)));
                for (var d :
                    leaf.array()
                        .type()
                        .dims()
                        .subList(dims.size(), leaf.array().type().dims().size())) {
                  dims.add(new DimSlice.Range(Atom.i64(0), d, Atom.i64(1)));
                }
                var part = b.bind("part", new Slice(leaf.array(), dims, false));
                leaves.add(new MapNest.Leaf(leaf.param(), part, leaf.levels()));
              }
              var widths =
                  slice.subList(0, levels).stream().map(d -> ((DimSlice.Range) d).count()).toList();
              return built(nest, view, widths, b, leaves);
            });
  }

  /** Puts the new maps where the views were, and removes the old one. */
  private static boolean replace(Block block, Stm map, List<Stm> views, List<List<Stm>> made) {
    int first = block.at(map);
    for (var view : views) {
      if (!block.mayMove(first, block.at(view))) {
        return false;
      }
    }
    var stms = new ArrayList<Stm>();
    for (var s : block.stms()) {
      int k = views.indexOf(s);
      if (k >= 0) {
        stms.addAll(made.get(k));
      } else if (s != map) {
        stms.add(s);
      }
    }
    block.set(stms);
    views.forEach(_ -> Tally.count("view ∘ map"));
    return true;
  }
}
