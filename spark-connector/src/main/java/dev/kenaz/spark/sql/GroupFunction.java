package dev.kenaz.spark.sql;

import static java.util.stream.Collectors.joining;

import dev.kenaz.distribute.FoldPlan;
import dev.kenaz.distribute.Plan;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.pipeline.StepCaller;
import dev.kenaz.spark.Recent;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An entry point over columns as an aggregate function: it is called for the rows of a group. If
 * its plan is a fold (see {@link FoldPlan}), executors compute parts of a group, and combine them.
 * Otherwise the rows of a group come to one executor first.
 *
 * @param name what it is called in SQL
 * @param shown what it is of the program, for {@code EXPLAIN}
 * @param program its entry point takes the rows
 * @param columns the cells of its arguments
 * @param places if it is computed by parts, where these have which value; else null, as Spark can't
 *     send an {@code Optional}
 * @param adjoint whether the last of the program's first arguments is the adjoint of a result
 */
record GroupFunction(
    String name,
    String shown,
    SqlProgram program,
    ArrayList<Cell.Plain> columns,
    Cell result,
    String places,
    boolean adjoint)
    implements Serializable {
  private static final String GROUP = "kenaz_group";

  private static final Recent<String, Planned> PLANNED = new Recent<>(64);

  /** A fold in an executor, with what calls its functions. */
  private record Planned(FoldPlan plan, StepCaller caller) {}

  /**
   * Makes an entry point a function of a group.
   *
   * @throws UserError what is wrong with the program or the arguments; K6303 if there is no such
   *     entry point, K6115 if it is no function of columns
   */
  static GroupFunction of(
      String name, ProgramSource source, String entry, List<? extends Serializable> first) {
    try (var program = SqlProgram.open(source, entry, first.size())) {
      var values = SqlProgram.values(program, entry, first);
      return of(name, entry + " of " + source.root(), source, entry, first.size(), values, false);
    }
  }

  /**
   * Makes the gradient of an entry point a function of a group. It is taken by those of the first
   * arguments that hold floats.
   *
   * @throws UserError K6115 also if the entry point gives no float, or no argument holds floats
   */
  static GroupFunction gradient(
      String name, ProgramSource source, String entry, List<? extends Serializable> first) {
    try (var program = SqlProgram.open(source, entry, first.size())) {
      var values = new ArrayList<>(SqlProgram.values(program, entry, first));
      var type = program.entry(entry).type();
      var text = gradient(type, first.size());
      var number = (Transparent) type.results().getFirst().type();
      values.add(ScalarValue.ofDouble(number.prim(), 1));
      return of(
          name,
          "gradient of " + entry + " of " + source.root(),
          SqlProgram.behind(source, text),
          GROUP,
          first.size() + 1,
          values,
          true);
    }
  }

  /** Returns an entry point that takes the adjoint of the result behind the first arguments. */
  private static String gradient(EntryPoint type, int first) {
    var names = new ArrayList<String>();
    var by = new ArrayList<String>();
    var fixedNames = RowFunction.variables("p", type.params()).subList(0, first);
    for (int i = 0; i < first; i++) {
      var p = type.params().get(i);
      boolean floats = p.type().flat().stream().allMatch(f -> f.prim().isFloat());
      if (floats && (p.type() instanceof Transparent || p.type() instanceof RecordType)) {
        by.add(fixedNames.get(i));
        names.add(p.name());
      }
    }
    boolean number =
        type.results().size() == 1
            && type.results().getFirst().type() instanceof Transparent(var prim, var rank)
            && rank == 0
            && prim.isFloat();
    if (!number || by.isEmpty()) {
      throw new UserError(
          ErrorCode.K6115,
          number
              ? "none of the first arguments of " + type.name() + " holds floats"
              : type.name() + " doesn't give a float, so it has no gradient");
    }
    var pattern = by.size() == 1 ? by.getFirst() : "(" + String.join(", ", by) + ")";
    var fixed = String.join(" ", fixedNames);
    var all = RowFunction.variables("r", type.params());
    var rows = String.join(" ", all.subList(first, all.size()));
    var call =
        "vjp (\\%s -> %s %s %s) %s kenaz_s".formatted(pattern, type.name(), fixed, rows, pattern);
    if (by.size() > 1) {
      var fields =
          IntStream.range(0, by.size())
              .mapToObj(i -> fieldName(names.get(i), i) + " = " + by.get(i))
              .collect(joining(", ", "{", "}"));
      call = "let %s = %s in %s".formatted(pattern, call, fields);
    }
    return "\nentry %s %s kenaz_s %s = %s\n".formatted(GROUP, fixed, rows, call);
  }

  private static String fieldName(String parameter, int i) {
    return parameter.matches("_*") ? "argument_" + (i + 1) : parameter;
  }

  private static GroupFunction of(
      String name,
      String shown,
      ProgramSource source,
      String entry,
      int first,
      List<Value> values,
      boolean adjoint) {
    try (var program = SqlProgram.open(source, entry, first)) {
      var type = program.entry(entry).type();
      var columns = new ArrayList<Cell.Plain>();
      for (var p : type.params().subList(first, type.params().size())) {
        columns.add(Cell.ofParameter(p.type(), 1, "parameter " + p.name() + " of " + name));
      }
      var what = "the result of " + name;
      var result =
          Cell.ofResult(type.results().stream().map(EntryPoint.Result::type).toList(), 0, what);
      var places = fold(program, entry, first, adjoint).map(FoldPlan::places).orElse(null);
      if (places == null) {
        program.entry(entry).prepare(); // This finds its faults.
      }
      return new GroupFunction(
          name, shown, SqlProgram.of(source, entry, values), columns, result, places, adjoint);
    }
  }

  /** Returns the plan, if rows can be folded as they are. */
  private static Optional<FoldPlan> fold(
      CompiledProgram program, String entry, int first, boolean adjoint) {
    var type = program.entry(entry).type();
    var rows =
        type.params().stream().map(EntryPoint.Param::name).skip(first).collect(Collectors.toList());
    if (rows.stream().distinct().count() < rows.size() || rows.contains("_")) {
      return Optional.empty();
    }
    try {
      var planned =
          PiecewiseEntry.plan(program.lowered(), entry, rows, SqlProgram.options(), false)
              .program();
      boolean plain = planned.turned().isEmpty() && planned.plan().sharded().size() == rows.size();
      return plain ? FoldPlan.of(planned.plan(), adjoint) : Optional.empty();
    } catch (Limitation e) { // It isn't computed in pieces.
      return Optional.empty();
    }
  }

  /**
   * Returns the fold of the entry point, in an executor.
   *
   * @param shapes of the columns, with any number of rows
   */
  FoldPlan.Fold fold(List<long[]> shapes) {
    var planned =
        PLANNED.get(
            program.entry() + " " + adjoint + " " + columns.size() + program.source(),
            () -> {
              try (var opened = SqlProgram.open(program.source(), program.entry(), 0)) {
                int all = opened.entry(program.entry()).type().params().size();
                var fold = fold(opened, program.entry(), all - columns.size(), adjoint);
                Plan.checkPlaces(places, fold.orElseThrow().places());
                return new Planned(fold.get(), new StepCaller(SqlProgram.options()));
              }
            });
    return planned.plan().fold(shapes, program.first(), planned.caller());
  }

  /** Computes a group from all of its rows. */
  List<Value> whole(List<? extends Value> rows) {
    return program.call(rows);
  }

  /** Whether it is computed by parts. */
  boolean parts() {
    return places != null;
  }

  /** Says how it is computed, for {@code EXPLAIN}. */
  String how() {
    return parts() ? "by parts" : "keeps rows";
  }
}
