package dev.kenaz.distribute;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Scans;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Places maps over rows whose function gives, for each row, arrays of a length of the row's own:
 * the numbers that a row reads in a loop from {@code offsets[i]} to {@code offsets[i + 1]}, or the
 * items into which it is expanded. The arrays of all rows, one after the other, are the rows of a
 * new space. Each piece makes those of its own rows, so that the space is cut as the rows are.
 */
final class RaggedMap {
  /**
   * The arrays of all rows, one after the other.
   *
   * @param rows how many elements they have together
   * @param first for each row, the number of its first element
   * @param elements for each array that a row has, those of all rows
   */
  record Joined(Var rows, Var first, List<Var> elements) {
    Joined {
      elements = List.copyOf(elements);
    }
  }

  private final Moves moves;
  private final Labeller labeller;
  private final Schedule schedule;
  private final NewSpaces newSpaces;

  RaggedMap(Cutter cutter, Moves moves, NewSpaces newSpaces) {
    this.moves = moves;
    this.labeller = cutter.labeller();
    this.schedule = cutter.schedule();
    this.newSpaces = newSpaces;
  }

  /**
   * Places a map over rows. Its function returns a length, which counts as 0 if it is negative, and
   * then arrays of that length.
   */
  void place(Stm stm, Joined to) {
    var map = stm;
    for (var read = reads(map); read.isPresent(); read = reads(map)) {
      moves.bring(stm, read.get());
      map = read.get().rest();
    }
    var s = (Screma) map.exp();
    new OperatorLabels(labeller, stm, new LinearLabels(labeller, stm))
        .checkRowWise(s.width(), s.inputs(), s.map());
    int at = schedule.stageLevel(map);
    var b = new Builder(stm.span());
    var lengths = lengths(b, s.width(), s.inputs(), s.map());
    b.bindAll(List.of(to.rows()), new Alias(lengths.rows()));
    join(b, s, new Joined(to.rows(), lengths.first(), to.elements()));
    b.stms().forEach(local -> schedule.local(local, at));
    var space = newSpaces.counted(stm.span(), to.rows(), at);
    for (var v : to.elements()) {
      labeller.label(stm.span(), v, new Label.Sharded(0));
      schedule.storeLater(v, at);
    }
    var numbered = new Builder(stm.span());
    var first =
        numbered.map(
            s.width(),
            List.of(lengths.first()),
            (in, p) -> List.of(in.add(p.getFirst(), space.before())));
    numbered.bindAll(List.of(to.first()), new Alias(first.getFirst()));
    numbered.stms().forEach(local -> schedule.local(local, at + 1));
    labeller.label(stm.span(), to.first(), new Label.Sharded(0));
  }

  private Optional<RemoteReads.Found> reads(Stm map) {
    return new RemoteReads(labeller).in(map);
  }

  /** Emits how many elements there are before each row, and in all. There are no arrays yet. */
  static Joined lengths(Builder b, Atom width, List<Var> inputs, Lambda map) {
    var length = map.body().results().getFirst();
    var slice = new Builder(b.span());
    slice.addAll(BackwardSlice.withEffects(map.body().stms(), List.of(length)).stms());
    var some = slice.binary(BinaryOp.MAX, Atom.i64(0), length);
    var own = new Lambda(map.params(), slice.body(List.of(some)), List.of(Type.I64));
    var lengths =
        b.screma(width, inputs, List.of(), List.of(), new Renaming().lambda(own)).getFirst();
    var plus = b.operator(BinaryOp.ADD, Prim.I64);
    var ends = Scans.inclusive(b, width, List.of(lengths), plus, List.of(Atom.i64(0))).getFirst();
    var first =
        b.map(width, List.of(ends, lengths), (in, p) -> List.of(in.sub(p.get(0), p.get(1))));
    var sum = new Reduce(new Renaming().lambda(plus), List.of(Atom.i64(0)), true);
    var total =
        b.screma(width, List.of(lengths), List.of(), List.of(sum), b.identity(List.of(lengths)));
    return new Joined(total.getFirst(), first.getFirst(), List.of());
  }

  /** Emits the arrays of all rows, one after the other; where each row's begin is known. */
  static void join(Builder b, Screma s, Joined to) {
    var arrays = new ArrayList<Var>();
    for (var v : to.elements()) {
      arrays.add(b.bind("scratch", new Scratch(v.type().elemPrim(), v.type().dims())));
    }
    var space = List.<Atom>of(to.rows());
    var elems = arrays.stream().map(v -> Builder.rowType(v.type())).toList();
    var type = new Type.Acc(Names.freshTag(), space, elems);
    var outer = Names.fresh("acc", type);
    var inputs = new ArrayList<Var>(List.of(outer, to.first()));
    inputs.addAll(s.inputs());
    var params =
        new ArrayList<Var>(List.of(Names.fresh("acc", type), Names.fresh("first", Type.I64)));
    params.addAll(s.map().params());
    var row =
        b.lambdaOf(
            params,
            (in, p) -> {
              var results = in.inline(s.map().body());
              return write(in, p.get(0), p.get(1), results);
            });
    var body =
        b.lambdaOf(
            List.of(outer),
            (in, _) ->
                in.screma(s.width(), inputs, List.of(), List.of(), new Renaming().lambda(row)));
    b.bindAll(
        to.elements(), new WithAcc(List.of(new AccInput(space, arrays, Optional.empty())), body));
  }

  private static List<Var> write(Builder b, Var acc, Atom first, List<Atom> results) {
    return b.forLoop(
        results.getFirst(),
        List.of(acc),
        (j, accs) ->
            in -> {
              var values = results.stream().skip(1).map(array -> in.index((Var) array, j)).toList();
              var at = List.of(in.add(first, j));
              return List.of(
                  in.bind("acc", acc.type(), new UpdateAcc(accs.getFirst(), at, values)));
            });
  }
}
