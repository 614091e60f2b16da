package dev.kenaz;

import static java.util.Objects.requireNonNull;

import dev.kenaz.ad.Derivation;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.PlanObserver;
import dev.kenaz.distribute.report.PlanReport;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Var;
import dev.kenaz.pipeline.DatasetCall;
import dev.kenaz.pipeline.DatasetCaller;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.StepCaller;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * This is an entry that is computed over pieces of its data. Several threads may use it at once.
 *
 * <p>The work on a piece, and what is left for one place, is compiled when it is first called.
 */
public final class EntryInPieces extends Calls {
  private static final int PIECES = 4;

  private final Program program;
  private final CoreProgram lowered;
  private final List<Derivation> derivations;
  private final PiecewiseEntry planned;
  private final List<String> rows;
  private final StepCaller caller;
  private final int pieces;
  private final Optional<DatasetCaller> dataset;

  private EntryInPieces(
      Program program,
      CoreProgram lowered,
      List<Derivation> derivations,
      PiecewiseEntry planned,
      List<String> rows,
      StepCaller caller,
      int pieces,
      Optional<DatasetCaller> dataset) {
    this.program = program;
    this.lowered = lowered;
    this.derivations = derivations;
    this.planned = planned;
    this.rows = rows;
    this.caller = caller;
    this.pieces = pieces;
    this.dataset = dataset;
  }

  static EntryInPieces of(
      Program program,
      CoreProgram lowered,
      List<Derivation> derivations,
      EntryPoint type,
      List<String> rows) {
    var options = program.options();
    var planned = PiecewiseEntry.plan(lowered, type.name(), rows, options).program();
    return new EntryInPieces(
        program,
        lowered,
        derivations,
        planned,
        rows,
        new StepCaller(options),
        PIECES,
        Optional.empty());
  }

  /**
   * @throws IllegalArgumentException if nothing computes over such data
   */
  EntryInPieces over(Dataset data) {
    if (!(data instanceof DatasetCaller computing)) {
      throw new IllegalArgumentException("no ArrowData or SparkData: " + data.getClass().getName());
    }
    return new EntryInPieces(
        program, lowered, derivations, planned, rows, caller, pieces, Optional.of(computing));
  }

  /**
   * Returns the same function over so many pieces of arguments; without this method there are 4.
   *
   * @throws IllegalArgumentException for less than one piece, or for data that has pieces of its
   *     own
   */
  public EntryInPieces pieces(int n) {
    if (n < 1) {
      throw new IllegalArgumentException("there must be at least one piece, not " + n);
    }
    if (dataset.isPresent()) {
      throw new IllegalArgumentException("the dataset itself says how many pieces there are");
    }
    return new EntryInPieces(program, lowered, derivations, planned, rows, caller, n, dataset);
  }

  /** Tells how it is computed, as {@code kenaz plan} does; what isn't known stays in formulas. */
  public String plan() {
    return plan(Map.of());
  }

  /**
   * Tells how it is computed, as {@code kenaz plan} does.
   *
   * @param sizes the sizes and integer parameters that are known, by their names, to tell bytes by
   * @throws dev.kenaz.error.UserError K7501 for names that there aren't
   */
  public String plan(Map<String, Long> sizes) {
    var texts = new TreeMap<String, String>();
    requireNonNull(sizes, "sizes")
        .forEach(
            (name, size) ->
                texts.put(
                    requireNonNull(name, "the name of a size"),
                    requireNonNull(size, "the size " + name).toString()));
    return String.join("\n", PlanReport.of(planned.plan(), texts, pieces).lines()) + "\n";
  }

  /**
   * Returns what is not divided: each diagnostic tells an expression that is computed in one place,
   * from all rows that it uses.
   */
  public List<Diagnostic> warnings() {
    return planned.plan().gathered().stream().map(g -> g.why()).toList();
  }

  /**
   * Calls the function as {@link Entry#callAll} does. Over a dataset it takes the arguments for the
   * other parameters.
   */
  @Override
  public Value callAll(List<?> arguments) {
    requireNonNull(arguments, "arguments");
    return program.during(
        () -> {
          var type = planned.type();
          var function = lowered.function(type.function());
          var in = arguments(type, function, arguments);
          var out =
              dataset
                  .map(data -> data.compute(call(in)))
                  .orElseGet(
                      () -> planned.call(in, n -> Cuts.even(n, pieces), caller, PlanObserver.NONE));
          return new Value(
              program.origin(), type.results().getFirst().type(), Aliases.removed(in, out));
        });
  }

  private DatasetCall call(List<dev.kenaz.value.Value> arguments) {
    return new DatasetCall(
        program.source(), derivations, planned, rows, program.options(), caller, arguments);
  }

  private List<dev.kenaz.value.Value> arguments(
      EntryPoint type, FunDef function, List<?> arguments) {
    if (dataset.isEmpty()) {
      return Arguments.of(program.origin(), type, function, arguments);
    }
    var params = new ArrayList<EntryPoint.Param>();
    var vars = new ArrayList<Var>(function.params().subList(0, type.sizeParams()));
    int at = type.sizeParams();
    for (var p : type.params()) {
      int width = p.type().flat().size();
      if (!rows.contains(p.name())) {
        params.add(p);
        vars.addAll(function.params().subList(at, at + width));
      }
      at += width;
    }
    var others =
        new EntryPoint(
            type.name(),
            type.function(),
            type.sizeParams(),
            params,
            type.resultSizes(),
            type.results());
    var taking =
        new FunDef(
            function.name(), vars, function.returns(), function.returnSizes(), function.body());
    return Arguments.of(program.origin(), others, taking, arguments);
  }
}
