package dev.kenaz.distribute;

import static dev.kenaz.error.ErrorCode.K8002;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.pass.Pass;
import dev.kenaz.pass.Pipeline;
import dev.kenaz.simplify.Simplify;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Makes the plan of one entry point. */
public final class Planner {
  private Planner() {}

  /**
   * Plans an entry point over a dataset. The program is one that is differentiated and optimised,
   * and in which calls are inlined.
   *
   * @param entry the entry point's name
   * @param dataset the positions of the entry point's parameters that are the dataset: every array
   *     in them is in pieces along its outer dimension, and all have the same number of rows
   * @param gathers whether what can't be computed piece by piece is computed in one place, from all
   *     rows that it uses; otherwise it is refused
   * @throws dev.kenaz.error.Limitation K8001 for an expression that can't be computed piece by
   *     piece
   * @throws UserError K8002 if the parameters named can't be a dataset
   */
  public static Pipeline<CoreProgram, Plan> passes(
      String entry, Set<Integer> dataset, boolean gathers) {
    return Pipeline.<CoreProgram>start()
        .then(
            Pass.of(
                "prepare",
                "Brings the program into the form that the planner understands.",
                p -> prepare(p, entry, dataset)))
        .then(
            Pass.of(
                "plan",
                "Divides the program into steps on pieces of the dataset and steps between them.",
                p -> plan(p, entry, dataset, gathers)));
  }

  /** Returns the pass before all others: see {@link TurnedColumns}. */
  public static Pipeline<CoreProgram, CoreProgram> turn(String entry, Set<Integer> dataset) {
    return Pipeline.<CoreProgram>start()
        .then(
            Pass.of(
                "turn",
                "Takes arrays whose columns are the dataset's rows by their columns.",
                p -> turn(p, entry, dataset)));
  }

  private static CoreProgram turn(CoreProgram program, String entry, Set<Integer> dataset) {
    var point = entryPoint(program, entry);
    var function = program.function(point.function());
    var turned = TurnedColumns.of(function, dataset(point, function, dataset));
    return program.with(Rewriter.each(program.functions(), f -> f == function ? turned : f));
  }

  private static CoreProgram prepare(CoreProgram program, String entry, Set<Integer> dataset) {
    var point = entryPoint(program, entry);
    var first = program.function(point.function());
    var rows = Set.copyOf(rows(dataset(point, first, dataset)));
    var prepared = prepared(program, point, rows);
    var function = prepared.function(point.function());
    return PairMatrices.without(function, rows)
        .map(f -> prepared(Simplify.SIMPLIFY.apply(with(prepared, function, f)), point, rows))
        .orElse(prepared);
  }

  private static CoreProgram prepared(CoreProgram program, EntryPoint point, Set<Var> rows) {
    var function = program.function(point.function());
    var reducing = HoistedRanges.of(LoopsAsReductions.in(function, rows));
    return with(program, function, new Prepare().function(reducing));
  }

  private static CoreProgram with(CoreProgram program, FunDef old, FunDef function) {
    return program.with(Rewriter.each(program.functions(), f -> f == old ? function : f));
  }

  private static Plan plan(
      CoreProgram program, String entry, Set<Integer> dataset, boolean gathers) {
    var point = entryPoint(program, entry);
    var function = program.function(point.function());
    var named = dataset(point, function, dataset);
    var sharded = named.stream().filter(v -> v.type().isArray()).toList();
    var rows = rows(named);
    var pieces = Pieces.over(rows);
    var spaces = new Spaces();
    pieces.datasets().forEach(spaces::addIndependent);
    var labeller = new Labeller(spaces);
    for (var v : sharded) {
      if (spaces.dimOf(v.type()) != 0) {
        boolean square = v.type().dims().lastIndexOf(v.type().dims().getFirst()) > 0;
        var column = "the dataset's column " + v.name();
        throw datasetFault(
            square
                ? column + " has as many columns as rows by its type"
                : column + " has the rows of another column inside of its own",
            square
                ? "give its columns a size of their own"
                : "put the rows first; of two dimensions, the second may be the rows; if these are"
                    + " two datasets, give the columns a size of their own");
      }
      labeller.label(Span.NONE, v, new Label.Sharded(0));
    }
    var replicated = new ArrayList<>(function.params());
    replicated.removeAll(sharded);
    replicated.removeAll(rows);
    for (var v : replicated) {
      if (spaces.inType(v.type())) {
        throw datasetFault(
            "parameter " + v.name() + " has the dataset's number of rows but isn't part of it",
            "name it as part of the dataset, or give it a size of its own");
      }
    }
    refuseCalls(function);
    var body = function.body();
    labeller.words().define(body);
    var results = body.results().subList(point.resultSizes(), body.results().size());
    var cutter = new Cutter(labeller, pieces, sharded, gathers);
    var cut = cutter.cut(body.stms(), results);
    var inPieces = cut.results().stream().map(cutter::staysInPieces).toList();
    var rowDims = new ArrayList<Integer>();
    for (int i = 0; i < results.size(); i++) {
      rowDims.add(
          inPieces.get(i) && labeller.of(results.get(i)) instanceof Label.Sharded(var dim)
              ? dim
              : 0);
    }
    var sizes = new ArrayList<>(function.params().subList(0, point.sizeParams()));
    sizes.removeAll(rows);
    return new Plan(
            entry,
            pieces,
            sharded,
            replicated,
            sizes.size(),
            cut.steps(),
            cut.results(),
            inPieces,
            rowDims,
            cutter.gathered())
        .numbered();
  }

  /**
   * Refuses calls. Those that are left are of recursive functions, which a step of a plan doesn't
   * have.
   */
  private static void refuseCalls(FunDef function) {
    new CodeRewriter() {
      @Override
      public List<Stm> stm(Stm stm) {
        if (stm.exp() instanceof Exp.Apply(var f, _)) {
          throw Undistributable.at(
              stm.span(),
              "a call of the recursive function " + FunDef.title(f),
              "write it as a loop");
        }
        return CodeRewriter.super.stm(stm);
      }
    }.body(function.body());
  }

  private static EntryPoint entryPoint(CoreProgram program, String entry) {
    return program.entries().stream()
        .filter(e -> e.name().equals(entry))
        .findFirst()
        .orElseThrow(
            () ->
                datasetFault(
                    "the program has no entry point " + entry,
                    "it has "
                        + String.join(
                            ", ", program.entries().stream().map(EntryPoint::name).toList())));
  }

  /** Returns the columns of the dataset, and the numbers that are as many rows as they say. */
  private static List<Var> dataset(EntryPoint point, FunDef function, Set<Integer> dataset) {
    var named = new ArrayList<Var>();
    int at = point.sizeParams();
    for (int i = 0; i < point.params().size(); i++) {
      var param = point.params().get(i);
      int width = param.type().flat().size();
      if (dataset.contains(i)) {
        for (var v : function.params().subList(at, at + width)) {
          if (!v.type().isArray() && !v.type().equals(Type.I64)) {
            throw datasetFault(
                "parameter "
                    + param.name()
                    + " of type "
                    + param.type().text()
                    + " can't be a dataset",
                "a dataset is arrays whose outer size is the rows, or the number of rows (i64)");
          }
          named.add(v);
        }
      }
      at += width;
    }
    if (named.isEmpty()) {
      throw datasetFault("no parameter is the dataset", "name at least one array parameter");
    }
    return named;
  }

  /** Returns the sizes of the columns' outer dimensions, and the other numbers, each once. */
  private static List<Var> rows(List<Var> named) {
    var rows = new LinkedHashSet<Var>();
    for (var c : named) {
      if (c.type().isScalar()) {
        rows.add(c);
        continue;
      }
      if (!(c.type().dims().getFirst() instanceof Var size)) {
        throw datasetFault(
            "the dataset parameter " + c.name() + " has a fixed number of rows",
            "make it a size parameter: [n]");
      }
      rows.add(size);
    }
    return List.copyOf(rows);
  }

  private static UserError datasetFault(String message, String hint) {
    return new UserError(K8002, Span.NONE, message, hint);
  }
}
